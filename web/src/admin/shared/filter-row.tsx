import { useId, useState, type ReactNode } from "react";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";

type ButtonProps = { count: number; open: boolean; panel: string; onToggle: () => void; className: string };

/**
 * The button on a phone that opens the filters below it, with the number of active ones. `panel` is the id of what it
 * opens.
 */
export const FiltersButton = ({ count, open, panel, onToggle, className }: ButtonProps) => (
  <Button look="line" aria-expanded={open} aria-controls={panel} onClick={onToggle} className={className}>
    Filters{count > 0 && ` (${count})`}
    <Icon name="down" className={cx("transition-transform", open && "rotate-180")} />
  </Button>
);

type ChosenProps = { chosen: readonly (string | false | undefined)[]; className: string };

/** The active filters in words, shown while they are collapsed on a phone. */
export function ChosenFilters({ chosen, className }: ChosenProps) {
  const said = chosen.flatMap((one) => one || []);
  if (said.length === 0) return null;
  return (
    <ul aria-label="Chosen filters" className={cx("flex w-full flex-wrap gap-1.5", className)}>
      {said.map((one) => (
        <li
          key={one}
          className="max-w-full rounded-full bg-pine-wash px-2.5 py-0.5 text-sm font-medium wrap-anywhere text-pine"
        >
          <bdi>{one}</bdi>
        </li>
      ))}
    </ul>
  );
}

type Props = {
  /** The active filters in words. `false` stands for one that is not active. On a phone they stay in view. */
  chosen: readonly (string | false | undefined)[];
  /** The number of active filters, where one is always chosen. */
  count?: number;
  children: ReactNode;
};

/** Filters that do not fit on a phone, where they are collapsed behind a button beside the search box. */
export function CollapsedFilters({ chosen, count, children }: Props) {
  const panel = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <FiltersButton
        count={count ?? chosen.filter(Boolean).length}
        open={open}
        panel={panel}
        onToggle={() => setOpen(!open)}
        className="px-3! sm:hidden"
      />
      {!open && <ChosenFilters chosen={chosen} className="sm:hidden" />}
      <div id={panel} className={cx("sm:contents", open ? "max-sm:grid max-sm:w-full max-sm:gap-2" : "max-sm:hidden")}>
        {children}
      </div>
    </>
  );
}
