import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { useFilters, type Filters } from "../../lib/filters";
import { count } from "../../lib/format";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Segmented } from "../../ui/segmented";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { DayField, isDay, problemsOfDays } from "../shared/days";
import { ExportButton } from "../shared/export-button";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { useStaff } from "../shared/session";
import { kindName, signed } from "../users/words";
import { EntryRow } from "./entry-row";
import { journalQuery, journalTable, totalsQuery, type Days, type Totals } from "./queries";

/** The ledgers of all families by day, to compare with deposits and bank statements. */
export default function Payments() {
  const { params, set } = useFilters();
  const today = useSite()?.today ?? "";
  const asked = { from: params.get("from")?.trim() ?? "", to: params.get("to")?.trim() ?? "" };
  const wrong = problemsOfDays(asked);
  const right = Object.keys(wrong).length === 0;
  const days: Days = right
    ? { ...(asked.from ? { from: asked.from } : {}), ...(asked.to ? { to: asked.to } : {}) }
    : {};
  const isOwner = useStaff()?.role === "owner";

  return (
    <>
      <PageHead title="Payments" description="What families paid, and every refund and correction, by its day">
        {isOwner && (
          <ExportButton
            name="payments.csv"
            load={() => journalTable(days)}
            done="The payments were downloaded"
            disabled={!right}
          />
        )}
      </PageHead>
      <Period asked={asked} wrong={wrong} today={today} set={set} />
      {right ? (
        <Journal days={days} onAll={() => set({ from: "", to: "" })} />
      ) : (
        <p className="text-muted">Please correct the dates to see the payments again.</p>
      )}
    </>
  );
}

/** The totals and entries of these days. The totals include the currency, so amounts are shown only with them. */
function Journal({ days, onAll }: { days: Days; onAll: () => void }) {
  const totals = useQuery(totalsQuery(days));
  const list = useInfiniteQuery(journalQuery(days));
  const { data: sums } = totals;
  const retrying = totals.isFetching || list.isFetching;
  // One press retries whichever query failed.
  const onRetry = () => Promise.all([totals, list].filter(({ isError }) => isError).map((query) => query.refetch()));

  if (totals.isError && !sums)
    return (
      <ErrorState title="Failed to load the payments" error={totals.error} retrying={retrying} onRetry={onRetry} />
    );
  return (
    <>
      <Sums totals={sums} waits={totals.isPlaceholderData} />
      <h2 className="sr-only">Entries</h2>
      <Listing
        list={list}
        what="entries"
        failed="Failed to load the payments"
        skeleton={<PaymentsSkeleton />}
        retry={{ retrying, onRetry }}
        empty={
          days.from || days.to ? (
            <EmptyState title="Nothing was recorded for these days">
              <Button look="line" onClick={onAll}>
                Show all days
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title="Nothing has been recorded yet" text="Payments are recorded with each user." />
          )
        }
      >
        {(entries) =>
          sums ? (
            <ul aria-label="Payments" className="sheet overflow-clip">
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} currency={sums.currency} />
              ))}
            </ul>
          ) : (
            <PaymentsSkeleton />
          )
        }
      </Listing>
    </>
  );
}

type PeriodProps = {
  asked: { from: string; to: string };
  wrong: ReturnType<typeof problemsOfDays>;
  /** Today in the camp's time zone. Empty until it is known. */
  today: string;
  set: Filters["set"];
};

function Period({ asked, wrong, today, set }: PeriodProps) {
  const choices = [
    { value: "all", label: "All days", from: "", to: "" },
    { value: "month", label: "This month", from: `${today.slice(0, 8)}01`, to: today },
    { value: "today", label: "Today", from: today, to: today },
  ];
  const chosen = choices.find(({ from, to }) => asked.from === from && asked.to === to);
  return (
    <div role="search" aria-label="Choose days" className="mb-5 flex flex-wrap items-start gap-3">
      <DayField
        label="From"
        value={asked.from}
        error={wrong.from ?? null}
        onChange={(from) => set({ from }, isDay(asked.from))}
        className="flex-[1_1_9rem] sm:flex-none"
      />
      <DayField
        label="To"
        value={asked.to}
        error={wrong.to ?? null}
        onChange={(to) => set({ to }, isDay(asked.to))}
        className="flex-[1_1_9rem] sm:flex-none"
      />
      <Segmented
        label="Days"
        value={chosen?.value ?? ""}
        options={choices}
        onChange={(next) => {
          const choice = choices.find(({ value }) => value === next);
          if (choice && today) set({ from: choice.from, to: choice.to });
        }}
        className="max-sm:w-full max-sm:*:flex-1 sm:mt-7"
      />
    </div>
  );
}

/** All cells are equally wide, unless an amount needs more. Cells that do not fit wrap onto the next row. */
const cell = "flex-1 bg-surface px-4 py-3 sm:px-6";

/** The total of the period, and what it consists of. `waits` means that it still shows the totals of other days. */
function Sums({ totals, waits }: { totals: Totals | undefined; waits: boolean }) {
  return (
    <dl
      aria-busy={waits}
      className={cx("sheet mb-5 flex flex-wrap gap-px overflow-clip bg-line! tabular-nums", waits && "opacity-60")}
    >
      <div className={cx(cell, "max-sm:basis-full")}>
        <dt className="text-sm text-muted">Sum</dt>
        <dd className="font-head text-[min(var(--text-xl),9vw)] leading-tight font-semibold whitespace-nowrap sm:text-2xl">
          {totals ? money(totals.amount, totals.currency) : <Skeleton className="h-[1lh] w-28" />}
        </dd>
        <dd className="text-xs text-muted">Of everything below</dd>
      </div>
      {totals?.items.map(({ kind, entries, amount }) => (
        <div key={kind} className={cx(cell, "max-sm:basis-[40%]")}>
          <dt className="text-sm text-muted">{kindName[kind]}s</dt>
          <dd className="text-[min(var(--text-lg),9vw)] leading-snug font-medium whitespace-nowrap">
            {signed(amount, totals.currency)}
          </dd>
          <dd className="text-xs text-muted">{count(entries, "entry", "entries")}</dd>
        </div>
      ))}
    </dl>
  );
}

const PaymentsSkeleton = () => (
  <Loading label="Loading the payments" className="sheet overflow-clip">
    {Array.from({ length: 8 }, (_, i) => (
      <div key={i} className="flex justify-between gap-4 border-line px-4 py-3.5 not-first:border-t">
        <div className="grid gap-2">
          <Skeleton className="h-5 w-44" />
          <Skeleton className="w-28" />
        </div>
        <Skeleton className="h-5 w-20" />
      </div>
    ))}
  </Loading>
);
