import { number } from "../../lib/format";
import { Icon, type IconName } from "../../ui/icon";
import { Skeleton } from "../../ui/states";

type Stat = { label: string; value: number | undefined; icon: IconName };

/** The numbers above a list. A number that is still loading keeps its space. */
export const StatCards = ({ label, stats }: { label: string; stats: readonly Stat[] }) => (
  <dl
    aria-label={label}
    className="mb-6 grid grid-cols-[repeat(auto-fit,minmax(min(max(8rem,40%),100%),1fr))] gap-3 lg:grid-cols-4"
  >
    {stats.map(({ label: name, value, icon }) => (
      <div key={name} className="sheet relative flex flex-col-reverse px-4 py-3.5 sm:ps-17">
        <dt className="text-sm leading-snug text-muted">
          <span className="absolute start-4 top-1/2 grid size-10 -translate-y-1/2 place-items-center rounded-md bg-pine-wash text-base text-pine max-sm:hidden">
            <Icon name={icon} />
          </span>
          {name}
        </dt>
        <dd className="font-head text-xl tabular-nums">
          {value === undefined ? <Skeleton className="my-1 h-5 w-10" /> : number(value)}
        </dd>
      </div>
    ))}
  </dl>
);
