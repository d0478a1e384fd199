import { useEffect, useRef, type ReactNode } from "react";
import { cx } from "./class-names";

type Option<Value extends string> = { value: Value; label: ReactNode; note?: ReactNode };
type Props<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  className?: string;
};

/** A choice among a few options, all of them visible. */
export function Segmented<Value extends string>({ label, value, options, onChange, className }: Props<Value>) {
  const group = useRef<HTMLDivElement>(null);
  const shown = useRef("");
  // On a narrow screen the chosen option may be out of view. `scrollIntoView` would also move the page.
  useEffect(() => {
    // Measures in the next frame, which computes the layout anyway.
    const frame = requestAnimationFrame(() => {
      const chosen = group.current?.querySelector("[aria-pressed=true]");
      if (!group.current || !chosen) return;
      // Labels that load later make the group wider.
      const now = `${value} ${group.current.scrollWidth}`;
      if (shown.current === now) return;
      shown.current = now;
      const [outside, inside] = [group.current.getBoundingClientRect(), chosen.getBoundingClientRect()];
      if (inside.left < outside.left || inside.right > outside.right)
        group.current.scrollLeft += inside.left + inside.width / 2 - (outside.left + outside.width / 2);
    });
    return () => cancelAnimationFrame(frame);
  });
  return (
    <div
      ref={group}
      role="group"
      aria-label={label}
      // Positioned, because visually hidden words inside would otherwise widen the page.
      className={cx(
        "relative inline-flex max-w-full overflow-x-auto rounded-md border border-edge bg-surface p-px",
        className,
      )}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(
            "flex min-h-10 min-w-max flex-1 items-center justify-center gap-1.5 rounded-[8px] px-3.5 text-sm whitespace-nowrap text-ink",
            "hover:bg-sunk focus-visible:-outline-offset-2 aria-pressed:bg-pine-wash aria-pressed:font-medium aria-pressed:text-pine",
          )}
        >
          {option.label}
          {option.note !== undefined && <span className="tabular-nums opacity-90">{option.note}</span>}
        </button>
      ))}
    </div>
  );
}
