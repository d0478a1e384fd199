import { cx } from "./class-names";

/** Initials in a circle, hidden from screen readers because the name is beside it. */
export function Avatar({ initials, className }: { initials: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        "grid size-9.5 shrink-0 place-items-center rounded-full bg-pine-wash text-sm leading-none font-semibold text-pine",
        className,
      )}
    >
      {initials}
    </span>
  );
}
