import { number, shortDate } from "../../lib/format";
import { Icon } from "../../ui/icon";
import type { Day } from "./queries";
import { axisMaximum, measures, type Measure } from "./words";

const height = 160;

/** One bar for each day. The chart labels its scale, its ends and its highest day. The table holds every number. */
export function DayChart({ days, measure }: { days: Day[]; measure: Measure }) {
  const label = measures.find(({ value }) => value === measure)!.label;
  const values = days.map((day) => day[measure]);
  const highest = Math.max(0, ...values);
  const top = axisMaximum(highest);
  const peak = days[values.indexOf(highest)];
  const [first, last] = [days[0], days.at(-1)];
  const most =
    highest > 0 && peak
      ? `Most: ${number(highest)} on ${shortDate(peak.day)}`
      : `No ${label.toLowerCase()} on these days`;

  return (
    <figure>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-muted tabular-nums" dir="ltr">
        <div aria-hidden="true" className="flex h-40 flex-col justify-between text-end leading-none">
          <span>{number(top)}</span>
          <span>{number(top / 2)}</span>
          <span>0</span>
        </div>
        <DayBars days={days} measure={measure} top={top} label={`${label} by day. ${most}.`} />
        <div aria-hidden="true" className="col-start-2 flex justify-between pt-1.5">
          <span>{first && shortDate(first.day)}</span>
          {days.length > 1 && <span>{last && shortDate(last.day)}</span>}
        </div>
      </div>
      <figcaption className="mt-2 text-sm text-muted">{most}</figcaption>
      <DayTable days={days} />
    </figure>
  );
}

type BarsProps = { days: Day[]; measure: Measure; top: number; label: string };

function DayBars({ days, measure, top, label }: BarsProps) {
  const gap = days.length > 45 ? 0.15 : 0.25;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(days.length, 1)} ${height}`}
      preserveAspectRatio="none"
      className="h-40 w-full text-pine"
    >
      {[0, height / 2, height].map((y) => (
        <line
          key={y}
          x1={0}
          x2={days.length}
          y1={y}
          y2={y}
          className="stroke-edge"
          strokeWidth={1}
          strokeDasharray={y === height ? undefined : "2 4"}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {days.map((day, i) => {
        const tall = (day[measure] / top) * height;
        return (
          <rect
            key={day.day}
            x={i + gap / 2}
            y={height - tall}
            width={1 - gap}
            height={tall}
            fill="currentColor"
            className="hover:fill-amber-text"
          >
            <title>{`${shortDate(day.day)}: ${number(day[measure])}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

const DayTable = ({ days }: { days: Day[] }) => (
  <details className="group mt-2">
    <summary className="inline-flex min-h-tap items-center gap-2 rounded-sm font-medium text-pine">
      <Icon name="down" className="transition-[rotate] group-open:rotate-180" />
      The days as a table
    </summary>
    <table className="mt-2 w-full text-sm tabular-nums max-sm:text-xs">
      <caption className="sr-only">Every day of the period, newest first</caption>
      <thead className="text-muted">
        <tr className="border-b border-line">
          <th scope="col" className="py-2 pe-2 text-start font-medium">
            Day
          </th>
          {measures.map((one) => (
            <th key={one.value} scope="col" className="py-2 ps-1 text-end font-medium sm:px-1">
              {one.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.day} className="border-b border-line">
            <th scope="row" className="py-1.5 pe-2 text-start font-normal min-[22rem]:whitespace-nowrap">
              {shortDate(day.day)}
            </th>
            {measures.map(({ value }) => (
              <td key={value} className="py-1.5 ps-1 text-end sm:px-1">
                {number(day[value])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
