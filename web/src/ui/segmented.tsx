import { useId, type ReactNode } from "react";
import { cx } from "./class-names";

type Option<Value extends string> = { value: Value; label: ReactNode; note?: ReactNode };
type Props<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  name?: string;
  className?: string;
};

/** One of a few, all of them visible: radio buttons underneath, so arrow keys work. */
export function Segmented<Value extends string>({ label, value, options, onChange, name, className }: Props<Value>) {
  const id = useId();
  return (
    <fieldset className={cx("inline-flex max-w-full overflow-x-auto rounded-md border border-edge bg-surface p-0.5", className)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={cx(
            "relative flex min-h-10 flex-1 items-center justify-center gap-1.5 rounded-[8px] px-3.5 text-sm whitespace-nowrap hover:bg-sunk",
            "has-checked:bg-pine-wash has-checked:font-medium has-checked:text-pine",
            "has-focus-visible:outline-3 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus",
          )}
        >
          <input
            type="radio"
            className="absolute inset-0 opacity-0"
            name={name ?? id}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
          {option.note !== undefined && <span className="tabular-nums opacity-80">{option.note}</span>}
        </label>
      ))}
    </fieldset>
  );
}
