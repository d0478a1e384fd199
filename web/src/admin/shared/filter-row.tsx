import { useId, useState, type ReactNode } from "react";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";

type ButtonProps = { count: number; open: boolean; panel: string; onToggle: () => void; className: string };

/** The button on a phone that opens the filters below it, with how many are set. `panel` is the id of what it opens. */
export const FiltersButton = ({ count, open, panel, onToggle, className }: ButtonProps) => (
  <Button look="line" aria-expanded={open} aria-controls={panel} onClick={onToggle} className={className}>
    Filters{count > 0 && ` (${count})`}
    <Icon name="down" className={cx("transition-transform", open && "rotate-180")} />
  </Button>
);

type Props = {
  /** What the filters that are set say; `false` stands for one that is not. On a phone it stays in sight. */
  chosen: readonly (string | false | undefined)[];
  /** How many are set, where one is always chosen. */
  count?: number;
  children: ReactNode;
};

/** Filters that do not fit on a phone. There they are collapsed behind a button beside the search box. */
export function CollapsedFilters({ chosen, count, children }: Props) {
  const said = chosen.flatMap((one) => one || []);
  const panel = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <FiltersButton
        count={count ?? said.length}
        open={open}
        panel={panel}
        onToggle={() => setOpen(!open)}
        className="px-3! sm:hidden"
      />
      {!open && said.length > 0 && (
        <ul aria-label="Chosen filters" className="flex w-full flex-wrap gap-1.5 sm:hidden">
          {said.map((one) => (
            <li key={one} className="rounded-full bg-pine-wash px-2.5 py-0.5 text-sm font-medium text-pine">
              {one}
            </li>
          ))}
        </ul>
      )}
      <div id={panel} className={cx("sm:contents", open ? "max-sm:grid max-sm:w-full max-sm:gap-2" : "max-sm:hidden")}>
        {children}
      </div>
    </>
  );
}
