import { useId, useState, type ReactNode } from "react";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";

/** The filters beside or below the search box. On a phone they are one line that scrolls sideways. */
export const FilterRow = ({ children }: { children: ReactNode }) => (
  <div className="filter-row sm:contents">{children}</div>
);

type ButtonProps = { count: number; open: boolean; panel: string; onToggle: () => void; className: string };

/** The button on a phone that opens the filters below it, with how many are set. `panel` is the id of what it opens. */
export const FiltersButton = ({ count, open, panel, onToggle, className }: ButtonProps) => (
  <Button look="line" aria-expanded={open} aria-controls={panel} onClick={onToggle} className={className}>
    Filters{count > 0 && ` (${count})`}
    <Icon name="down" className={cx("transition-transform", open && "rotate-180")} />
  </Button>
);

type Props = {
  /** How many of these filters are set. */
  count: number;
  children: ReactNode;
};

/** Filters that do not fit on a phone. There they are collapsed behind a button beside the search box. */
export function CollapsedFilters({ count, children }: Props) {
  const panel = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <FiltersButton
        count={count}
        open={open}
        panel={panel}
        onToggle={() => setOpen(!open)}
        className="px-3! sm:hidden"
      />
      <div id={panel} className={cx("sm:contents", open ? "max-sm:grid max-sm:w-full max-sm:gap-2" : "max-sm:hidden")}>
        {children}
      </div>
    </>
  );
}
