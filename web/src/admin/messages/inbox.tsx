import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { useFilters, type Filters } from "../../lib/filters";
import { ago, campDateTime } from "../../lib/moments";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { directionOf } from "../../ui/direction";
import { Select } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { SortSelect, readSort } from "../shared/sort-select";
import { GivenTo, readGiven } from "./given-to";
import { OpenMessage } from "./open-message";
import {
  awaitsDelivery,
  changeMessage,
  inboxQuery,
  messageCountsQuery,
  useMessagesChanged,
  type Department,
  type InboxFilter,
  type Message,
  type MessageStatus,
} from "./queries";
import { StatusBadge } from "./status-badge";
import { departmentName, statusName } from "./words";

const statuses: readonly MessageStatus[] = ["unread", "read", "replied"];
const departments: readonly Department[] = ["staff", "video_team"];

const orders = { newest: "Newest first", oldest: "Oldest first" };

export function Inbox() {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { params, set } = useFilters();
  const asked = readFilter(params);
  const slowly = useRefetchInterval(everyFifteenSeconds);
  const messages = useInfiniteQuery({
    ...inboxQuery(asked.filter),
    // Polls faster while a reply is being sent.
    refetchInterval: ({ state }) =>
      slowly && state.data?.pages.some(({ items }) => items.some(awaitsDelivery)) ? 4_000 : slowly,
  });
  const opened = params.get("message");

  return (
    <>
      <InboxFilters asked={asked} set={set} />

      <h2 className="sr-only">Inbox</h2>
      <Listing
        list={messages}
        what="messages"
        name="inbox"
        failed="Failed to load messages"
        skeleton={<InboxSkeleton />}
        empty={<NoMessages asked={asked} onShowAll={() => set(nothingAsked)} />}
      >
        {(all) => (
          <ul className="sheet overflow-clip">
            {all.map((message) => (
              <MessageRow
                key={message.id}
                message={message}
                timeZone={timeZone}
                now={messages.dataUpdatedAt}
                onOpen={() => set({ message: message.id })}
              />
            ))}
          </ul>
        )}
      </Listing>
      {opened && (
        <OpenMessage
          key={opened}
          id={opened}
          listed={messages.data?.find(({ id }) => id === opened)}
          timeZone={timeZone}
          onClose={() => set({ message: "" }, true)}
        />
      )}
    </>
  );
}

const nothingAsked = { q: "", status: "", department: "", spam: "", assigned_to: "", unassigned: "" };

/** The filters in the URL. */
function readFilter(params: URLSearchParams) {
  const term = params.get("q")?.trim() ?? "";
  const spam = params.get("spam") === "true";
  const status = spam ? undefined : statuses.find((one) => one === params.get("status"));
  const department = departments.find((one) => one === params.get("department"));
  const given = readGiven(params);
  const order = readSort(params, orders);
  const filter: InboxFilter = {
    ...(term ? { q: term } : {}),
    ...(status ? { status } : {}),
    ...(department ? { department } : {}),
    ...(spam ? { spam } : {}),
    ...given,
    ...order,
  };
  return { term, spam, status, department, given, order, filter };
}

type Asked = ReturnType<typeof readFilter>;

function InboxFilters({ asked, set }: { asked: Asked; set: Filters["set"] }) {
  const { term, spam, status, department, given, order } = asked;
  const counts = useQuery({ ...messageCountsQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) }).data;
  return (
    <div className="mb-4 flex flex-wrap gap-3">
      <SearchBox
        label="Search messages"
        placeholder="Search by sender, subject or child's name..."
        value={term}
        onSearch={(q) => set({ q })}
        className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_18rem]"
      />
      <CollapsedFilters
        chosen={[
          spam ? "Spam" : status && statusName[status],
          department && departmentName[department],
          given.unassigned ? "Assigned to nobody" : given.assigned_to && `Assigned to ${given.assigned_to}`,
          order.sort && orders[order.sort],
        ]}
      >
        <div className="grid gap-2 sm:grid-cols-3 sm:gap-3">
          <Select
            aria-label="Department"
            value={department ?? ""}
            onChange={(event) => set({ department: event.target.value })}
          >
            <option value="">All departments</option>
            {departments.map((one) => (
              <option key={one} value={one}>
                {departmentName[one]}
              </option>
            ))}
          </Select>
          <GivenTo given={given} set={set} />
          <div>
            <SortSelect names={orders} order={order} set={set} />
          </div>
        </div>
        <Segmented
          label="Filter by status"
          value={spam ? "spam" : (status ?? "all")}
          options={[
            { value: "all", label: "All", note: counts?.all },
            ...statuses.map((one) => ({ value: one, label: statusName[one], note: counts?.[one] })),
            { value: "spam" as const, label: "Spam", note: counts?.spam },
          ]}
          onChange={(next) =>
            set({ status: next === "all" || next === "spam" ? "" : next, spam: next === "spam" ? "true" : "" })
          }
          className="max-sm:flex-wrap max-sm:[&>button]:px-2"
        />
      </CollapsedFilters>
    </div>
  );
}

/** Why the inbox is empty, and what to do next. */
function NoMessages({
  asked: { term, spam, status, department, given },
  onShowAll,
}: {
  asked: Asked;
  onShowAll: () => void;
}) {
  if (term || status || department || spam || given.assigned_to || given.unassigned) {
    return (
      <EmptyState title={spam && !term ? "No spam" : "No messages found"}>
        <Button look="line" onClick={onShowAll}>
          Show all messages
        </Button>
      </EmptyState>
    );
  }
  return <EmptyState title="No messages yet" text="What people write on the contact page arrives here." />;
}

type RowProps = { message: Message; timeZone: string; now: number; onOpen: () => void };

function MessageRow({ message, timeZone, now, onOpen }: RowProps) {
  const messagesChanged = useMessagesChanged();
  const unread = message.status === "unread";
  const read = useAction({
    mutationFn: () => changeMessage(message.id, { status: "read" }),
    onSuccess: (fresh) => {
      toast({ title: "Marked as Read" });
      void messagesChanged(fresh);
    },
    onError: (error) => toastFailure(error, "The message could not be marked as read."),
  });
  return (
    <li
      className={cx(
        "relative grid grid-cols-1 gap-x-4 border-s-3 border-line p-4 not-first:border-t sm:grid-cols-[minmax(0,1fr)_auto]",
        unread ? "border-s-amber bg-surface" : "border-s-transparent",
      )}
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <bdi className={cx("wrap-anywhere", unread ? "font-semibold" : "font-normal")}>{message.name}</bdi>
          {message.child_name && (
            <span className="min-w-0 text-sm wrap-anywhere text-muted">
              Child: <bdi>{message.child_name}</bdi>
            </span>
          )}
        </p>
        <h3 className={cx("font-sans text-base leading-normal", unread ? "font-medium" : "font-normal")}>
          {/* This button covers the whole row. The other buttons are above it. */}
          <button type="button" onClick={onOpen} className="text-start wrap-anywhere after:absolute after:inset-0">
            <bdi dir={directionOf(message.subject)}>{message.subject}</bdi>
          </button>
        </h3>
        <p dir={directionOf(message.message)} className="line-clamp-1 w-fit text-sm wrap-anywhere text-muted">
          {message.message}
        </p>
        <div className="mt-1.5 flex flex-wrap items-center gap-2">
          <StatusBadge status={message.status} />
          <Badge>{departmentName[message.department]}</Badge>
          {message.spam && (
            <Badge tone="bad" icon="flag">
              Spam
            </Badge>
          )}
          {message.draft && (
            <Badge tone="info" icon="edit">
              Draft
            </Badge>
          )}
          {message.replies.some(({ delivery }) => delivery === "failed") && (
            <Badge tone="bad" icon="alert">
              Reply failed
            </Badge>
          )}
          {message.assigned_to && (
            <span className="inline-flex items-center gap-1 text-xs text-muted">
              <Icon name="people" />
              <bdi>{message.assigned_to}</bdi>
            </span>
          )}
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-2 sm:flex-col sm:flex-nowrap sm:items-end sm:gap-2">
        <time
          dateTime={message.created_at}
          title={campDateTime(message.created_at, timeZone)}
          className="text-sm whitespace-nowrap text-muted"
        >
          {ago(message.created_at, timeZone, new Date(Math.max(now, Date.parse(message.created_at))))}
        </time>
        {unread && (
          <Button look="quiet" busy={read.isPending} onClick={() => read.mutate()} className="relative -me-2 text-sm">
            Mark as Read<span className="sr-only">: {message.subject}</span>
          </Button>
        )}
      </div>
    </li>
  );
}

const InboxSkeleton = () => (
  <Loading label="Loading messages" className="sheet overflow-clip">
    {Array.from({ length: 6 }, (_, i) => (
      <div key={i} className="grid gap-2.5 border-line p-4 not-first:border-t">
        <div className="flex justify-between gap-4">
          <Skeleton className="h-5 w-40" />
          <Skeleton className="w-20" />
        </div>
        <Skeleton className="h-5 w-2/5" />
        <Skeleton className="w-3/4" />
        <Skeleton className="h-5 w-36" />
      </div>
    ))}
  </Loading>
);
