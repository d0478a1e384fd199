import { useState } from "react";
import { useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useFilters, type Filters } from "../../lib/filters";
import { count, number } from "../../lib/format";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import { useRefetchInterval } from "../shared/refetch-interval";
import { CollapsibleFormButton, useCollapsibleForm } from "../shared/collapsible-form";
import { CollapsedFilters } from "../shared/filter-row";
import { laterDialogs } from "../shared/later-dialogs";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { ExportButton } from "../shared/export-button";
import { summaryQuery } from "../shared/family-summary";
import { useStaff } from "../shared/session";
import { AddUser } from "./add-user";
import {
  exportFamilies,
  usersQuery,
  type Direction,
  type Family,
  type Filter,
  type Sort,
  type Summary,
} from "./queries";
import { UserTable, UsersSkeleton } from "./user-table";
import { filterName, paidShare, sortName, usualDirection } from "./words";

const dialogs = laterDialogs(() => import("./dialogs"));
const DeleteUser = dialogs.dialog((parts) => parts.DeleteUser);
const EditUser = dialogs.dialog((parts) => parts.EditUser);
const ImportDialog = dialogs.dialog((parts) => parts.ImportDialog);
const RecordDialog = dialogs.dialog((parts) => parts.RecordDialog);
const UserDrawer = dialogs.dialog((parts) => parts.UserDrawer);

type Open = { what: "edit" | "plan" | "pay" | "delete"; family: Family };

const choices = Object.keys(filterName) as Filter[];
const sorts = Object.keys(sortName) as Sort[];
const directions: readonly Direction[] = ["asc", "desc"];
const everyMinute = 60_000;

export default function Users() {
  const filters = useFilters();
  const { params, set } = filters;
  const chosen = readFilter(params);
  const { term, filter, sort, direction } = chosen;
  const action = params.get("action");
  const shownUser = params.get("user");

  const every = useRefetchInterval(everyMinute);
  const summary = useQuery({ ...summaryQuery, refetchInterval: every });
  const users = useInfiniteQuery({
    ...usersQuery({ ...(term ? { q: term } : {}), ...(filter === "all" ? {} : { filter }), sort, direction }),
    // A list with many loaded pages is not polled.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : every),
  });
  const [open, setOpen] = useState<Open | null>(null);
  // One press retries whichever query failed.
  const retry = () => Promise.all([summary, users].filter(({ isError }) => isError).map((query) => query.refetch()));
  const retrying = summary.isFetching || users.isFetching;
  const adding = useCollapsibleForm("add", filters);
  dialogs.useSoon();

  function sortBy(next: Sort, way?: Direction) {
    const turned = direction === "asc" ? "desc" : "asc";
    const wanted = way ?? (next === sort ? turned : usualDirection(next));
    set({ sort: next === "joined" ? "" : next, direction: wanted === usualDirection(next) ? "" : wanted });
  }

  const currency = summary.data?.currency ?? "USD";
  const shown = users.data?.length ?? 0;
  const all = summary.data && !term ? countOf(summary.data, filter) : null;

  return (
    <>
      <PageHead title="User Management" description="Families, their payments and their emails" text={null}>
        <div className="flex flex-wrap gap-2 max-sm:w-full max-sm:[&>button]:w-auto max-sm:[&>button]:flex-auto max-sm:[&>button]:px-2.5 max-sm:[&_svg]:hidden sm:gap-3">
          <ExportUsers />
          <Button look="line" onClick={() => set({ action: "import" })} className="max-sm:flex-1">
            Import
          </Button>
          <CollapsibleFormButton {...adding.button} icon="plus">
            Add New User
          </CollapsibleFormButton>
        </div>
      </PageHead>

      {adding.everOpened && <AddUser open={adding.open} onClose={adding.close} />}

      <Figures
        summary={summary}
        listed={Boolean(users.data) && !users.isError}
        currency={currency}
        retrying={retrying}
        onRetry={retry}
      />

      <UserFilters chosen={chosen} summary={summary.data} set={set} onSort={sortBy} />
      <h2 className="sr-only">Users</h2>
      <Found
        term={term}
        count={users.data && !users.isPlaceholderData ? `${shown}${users.hasNextPage ? "+" : ""}` : null}
      />
      <Listing
        list={users}
        what="users"
        failed="Failed to load users"
        skeleton={<UsersSkeleton />}
        empty={<NoUsers term={term} filter={filter} set={set} onAdd={adding.unfold} />}
        retry={{ retrying, onRetry: retry }}
        range={all !== null && `1 to ${number(shown)} of ${number(all)}`}
        end={<p className="pt-4 text-sm text-muted tabular-nums">{count(shown, "user")}</p>}
      >
        {(families) => (
          <UserTable
            users={families}
            currency={currency}
            sort={sort}
            direction={direction}
            onSort={sortBy}
            onShow={(family) => set({ user: family.id })}
            ask={(what, family) => setOpen({ what, family })}
          />
        )}
      </Listing>

      {shownUser && (
        <UserDrawer
          key={shownUser}
          id={shownUser}
          currency={currency}
          onClose={() => set({ user: "" }, true)}
          onMergedInto={(id) => set({ user: id }, true)}
        />
      )}
      {action === "import" && <ImportDialog currency={currency} onClose={() => set({ action: "" }, true)} />}
      {open && <FamilyDialog {...open} currency={currency} onClose={() => setOpen(null)} />}
    </>
  );
}

type FiguresProps = {
  summary: UseQueryResult<Summary>;
  /** Whether the list below was loaded. */
  listed: boolean;
  currency: string;
  retrying: boolean;
  onRetry: () => unknown;
};

/** The totals for all families, or why there are none. If the list could not be loaded either, the list says so. */
function Figures({ summary, listed, currency, retrying, onRetry }: FiguresProps) {
  if (!summary.isError || summary.data || !listed)
    return <Cards summary={summary.data} failed={summary.isError} currency={currency} />;
  return (
    <div className="mb-6">
      <ErrorState title="Failed to load payment plans" error={summary.error} retrying={retrying} onRetry={onRetry} />
    </div>
  );
}

const Found = ({ term, count: found }: { term: string; count: string | null }) => (
  <p role="status" className={cx("text-sm text-muted", term && "mb-3")}>
    {term && found && (
      <>
        Found {found} user(s) matching "<bdi>{term}</bdi>"
      </>
    )}
  </p>
);

/** The filters in the URL. */
function readFilter(params: URLSearchParams) {
  const sort = sorts.find((one) => one === params.get("sort")) ?? "joined";
  return {
    term: params.get("q")?.trim() ?? "",
    filter: choices.find((one) => one === params.get("filter")) ?? ("all" as const),
    sort,
    direction: directions.find((one) => one === params.get("direction")) ?? usualDirection(sort),
  };
}

/** The dialog that a row's button opens. */
function FamilyDialog({ what, ...props }: Open & { currency: string; onClose: () => void }) {
  if (what === "pay") return <RecordDialog {...props} kind="payment" />;
  if (what === "delete") return <DeleteUser family={props.family} onClose={props.onClose} />;
  return <EditUser {...props} withPlan={what === "plan"} />;
}

type UserFiltersProps = {
  chosen: ReturnType<typeof readFilter>;
  summary: Summary | undefined;
  set: Filters["set"];
  onSort: (sort: Sort, direction?: Direction) => void;
};

function UserFilters({ chosen: { term, filter, sort, direction }, summary, set, onSort }: UserFiltersProps) {
  return (
    <div className="mb-4 flex flex-wrap gap-3">
      <SearchBox
        label="Search users"
        placeholder="Search by name, child or email"
        value={term}
        onSearch={(q) => set({ q })}
        className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_18rem]"
      />
      <CollapsedFilters
        chosen={[filter !== "all" && filterName[filter], sort !== "joined" && `By ${sortName[sort].toLowerCase()}`]}
      >
        <SortBy sort={sort} direction={direction} onSort={onSort} />
        <Segmented
          label="Filter"
          value={filter}
          options={choices.map((value) => ({
            value,
            label: filterName[value],
            note: summary && number(countOf(summary, value)),
          }))}
          onChange={(next) => set({ filter: next === "all" ? "" : next })}
          className="max-sm:flex-wrap sm:w-full [&>button]:px-2.5"
        />
      </CollapsedFilters>
    </div>
  );
}

type NoUsersProps = { term: string; filter: Filter; set: Filters["set"]; onAdd: () => void };

/** Why the list is empty, and what to do next. */
function NoUsers({ term, filter, set, onAdd }: NoUsersProps) {
  if (term) {
    return (
      <EmptyState title="No users found">
        <Button look="line" onClick={() => set({ q: "" })}>
          Clear Search
        </Button>
      </EmptyState>
    );
  }
  if (filter !== "all") {
    return (
      <EmptyState title={nobody[filter]}>
        <Button look="line" onClick={() => set({ filter: "" })}>
          Show all users
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No users yet"
      text="Add the first family by hand, or import the office’s list."
      picture="/art/placeholder.svg"
    >
      <Button icon="plus" onClick={onAdd}>
        Add New User
      </Button>
      <Button look="line" onClick={() => set({ action: "import" })}>
        Import
      </Button>
    </EmptyState>
  );
}

function countOf({ total_users, paid_in_full, due, overdue, no_plan, to_approve }: Summary, filter: Filter) {
  return { all: total_users, paid: paid_in_full, due, overdue, no_plan, to_approve }[filter];
}

const nobody: Record<Exclude<Filter, "all">, string> = {
  paid: "No one has paid in full yet",
  due: "No payments are due",
  overdue: "No one is overdue",
  no_plan: "Everyone has a plan",
  to_approve: "No one is waiting for approval",
};

function Cards({ summary, failed, currency }: { summary: Summary | undefined; failed: boolean; currency: string }) {
  const share = summary && paidShare(summary);
  const cards = [
    {
      label: "Total Users",
      value: summary && number(summary.total_users),
      note: summary && (summary.to_approve > 0 ? `${number(summary.to_approve)} to approve` : "Nobody to approve"),
    },
    {
      label: "Paid in Full",
      value: summary && number(summary.paid_in_full),
      note: summary && (share == null ? "No plans yet" : `${share}% of those with a plan`),
    },
    { label: "Total Revenue", value: summary && money(summary.total_revenue, currency), note: "Paid so far" },
    {
      label: "Overdue",
      value: summary && number(summary.overdue),
      note: summary && `${number(summary.due)} due later or no plan`,
      bad: Boolean(summary?.overdue),
    },
  ];
  return (
    <dl className="sheet mb-4 flex flex-wrap gap-px overflow-clip bg-line! tabular-nums sm:mb-6">
      {cards.map(({ label, value, note, bad }) => (
        <div key={label} className="flex-1 basis-[max(8rem,40%)] bg-surface px-4 py-2 sm:px-6 sm:py-4 lg:basis-0">
          <dt className="text-sm text-muted">{label}</dt>
          <dd
            className={cx(
              "font-head text-[min(var(--text-xl),9vw)] leading-tight font-semibold whitespace-nowrap sm:text-2xl",
              bad && "text-clay",
            )}
          >
            {value ?? (failed ? "–" : <Skeleton className="h-[1lh] w-20" />)}
          </dd>
          <dd className="text-xs text-muted">{note ?? "\u00a0"}</dd>
        </div>
      ))}
    </dl>
  );
}

function SortBy({
  sort,
  direction,
  onSort,
}: {
  sort: Sort;
  direction: Direction;
  onSort: (sort: Sort, direction?: Direction) => void;
}) {
  return (
    <div className="flex gap-1.5">
      <div className="relative max-sm:flex-1">
        <select
          aria-label="Sort by"
          value={sort}
          onChange={(event) => onSort(event.target.value as Sort)}
          className="min-h-tap w-full appearance-none rounded-md border border-edge bg-surface ps-3.5 pe-10"
        >
          {sorts.map((value) => (
            <option key={value} value={value}>
              {sortName[value]}
            </option>
          ))}
        </select>
        <Icon name="down" className="pointer-events-none absolute end-3 top-3 text-muted" />
      </div>
      <button
        type="button"
        aria-label={direction === "asc" ? "Ascending. Reverse the order" : "Descending. Reverse the order"}
        title={direction === "asc" ? "Ascending" : "Descending"}
        onClick={() => onSort(sort)}
        className="grid size-tap shrink-0 place-items-center rounded-md border border-edge bg-surface hover:bg-sunk"
      >
        <Icon name="up" className={cx("transition-[rotate]", direction === "desc" && "rotate-180")} />
      </button>
    </div>
  );
}

/** Lets owners download the list. */
function ExportUsers() {
  if (useStaff()?.role !== "owner") return null;
  return (
    <ExportButton
      name="families.csv"
      load={exportFamilies}
      done="The users were downloaded"
      className="max-sm:flex-1"
    />
  );
}
