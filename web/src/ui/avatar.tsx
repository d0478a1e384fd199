import { cx } from "./class-names";

/** Initials in a circle, hidden from screen readers because the name is beside it. */
export function Avatar({ initials, className }: { initials: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        // Which of two sizes wins depends on the style sheet, so there is only one.
        !className?.includes("size-") && "size-9.5 text-sm",
        "grid shrink-0 place-items-center rounded-full bg-pine-wash leading-none font-semibold text-pine",
        className,
      )}
    >
      {initials}
    </span>
  );
}
