import { cx } from "./class-names";
import type { MoreIcon } from "./more-icons";

/** The icons that Home shows first. The others are in `more-icons.ts`, which all other pages import. */
const first = {
  alert: "M12 4 21 19.5H3zM12 10v4.5M12 17v.1",
  eye: "M2.5 12S6 5.8 12 5.8 21.5 12 21.5 12 18 18.2 12 18.2 2.5 12 2.5 12zM14.7 12a2.7 2.7 0 1 1-5.4 0 2.7 2.7 0 0 1 5.4 0z",
  info: "M20.5 12a8.5 8.5 0 1 1-17 0 8.5 8.5 0 0 1 17 0zM12 11v5.5M12 7.5v.1",
  lock: "M5.5 10.5h13v9.5h-13zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5M12 14.5v2",
  menu: "M4 7h16M4 12h16M4 17h11",
  next: "m9.5 5 7 7-7 7",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5v15l12.5-7.5z",
  previous: "m14.5 5-7 7 7 7",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.3-5.4L19.5 9M19.5 4v5h-5",
  talk: "M4 5h16v11h-9l-4.5 4v-4H4z",
} as const;

export type IconName = keyof typeof first | MoreIcon;

const shapes: Partial<Record<IconName, string>> = { ...first };

export const addIcons = (more: Record<MoreIcon, string>) => void Object.assign(shapes, more);

/** Icons that point in the reading direction are mirrored on a right-to-left page. */
const directed = new Set<IconName>(["next", "previous", "out", "signOut"]);

export function Icon({ name, className, filled = false }: { name: IconName; className?: string; filled?: boolean }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={cx(
        // The style sheet has this size after the others, so it would win over a second size.
        !className?.includes("size-") && "size-[1.25em]",
        "shrink-0",
        directed.has(name) && "rtl:-scale-x-100",
        className,
      )}
      fill={filled ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
