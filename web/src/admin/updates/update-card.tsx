import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { isPinned } from "../../api/is-pinned";
import { ago, campDateTime } from "../../lib/moments";
import { Badge } from "../../ui/badge";
import { Button, IconButton } from "../../ui/button";
import { directionOf } from "../../ui/direction";
import { Icon } from "../../ui/icon";
import { Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { deliverySummary, scheduleTime } from "../shared/words";
import { visibilityToast } from "./form-values";
import { editUpdate, useUpdatesChanged, type AdminUpdate, type Priority } from "./queries";

export const priorities: Record<Priority, { label: string; tone: "plain" | "info" | "bad" }> = {
  low: { label: "Low", tone: "plain" },
  medium: { label: "Medium", tone: "info" },
  high: { label: "High", tone: "bad" },
};

type Props = { update: AdminUpdate; timeZone: string; now: number; onEdit: () => void; onDelete: () => void };

export function UpdateCard({ update, timeZone, now, onEdit, onDelete }: Props) {
  const updatesChanged = useUpdatesChanged();
  const pinned = isPinned(update, now);
  const toggle = useAction({
    mutationFn: () => editUpdate(update.id, { version: update.version, is_active: !update.is_active }),
    onSuccess: async () => {
      await updatesChanged();
      toast(visibilityToast(!update.is_active));
    },
    onError: (error) => {
      if (isApiError(error, "stale", "not_found")) void updatesChanged();
      toastFailure(error, "Failed to update status.");
    },
  });

  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 border-line px-4 py-1.5 not-first:border-t max-md:py-4 md:grid-cols-[minmax(0,1fr)_15rem_12.5rem] md:items-center">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h3 className="min-w-0 text-[1.08rem] wrap-anywhere max-md:basis-full">
            <bdi dir={directionOf(update.title)}>{update.title}</bdi>
          </h3>
          <Standing update={update} pinned={pinned} />
        </div>
        <p
          dir={directionOf(update.message)}
          className="w-fit text-sm wrap-anywhere whitespace-pre-line text-muted max-md:line-clamp-4 md:line-clamp-1"
        >
          {update.message}
        </p>
      </div>
      <Facts update={update} pinned={pinned} timeZone={timeZone} now={now} />
      <div className="flex items-center max-md:-ms-2.5 md:justify-end">
        <Button look="quiet" busy={toggle.isPending} onClick={() => toggle.mutate()}>
          {update.is_active ? "Deactivate" : "Activate"}
          <span className="sr-only"> {update.title}</span>
        </Button>
        <IconButton
          icon="edit"
          label={`Edit ${update.title}`}
          title="Edit"
          onClick={onEdit}
          className="max-md:ms-auto"
        />
        <IconButton
          icon="trash"
          danger
          label={`Delete ${update.title}`}
          title="Delete"
          onClick={onDelete}
          className="max-md:-me-2"
        />
      </div>
    </li>
  );
}

type StandingProps = { update: AdminUpdate; pinned: boolean };

const Standing = ({ update: { priority, is_active }, pinned }: StandingProps) => (
  <>
    <Badge tone={priorities[priority].tone} {...(priority === "high" ? { icon: "flag" as const } : {})}>
      {priorities[priority].label}
    </Badge>
    {is_active ? (
      <Badge tone="good" icon="check">
        Active
      </Badge>
    ) : (
      <Badge>Inactive</Badge>
    )}
    {pinned && (
      <Badge tone="due" icon="up">
        Pinned
      </Badge>
    )}
  </>
);

/** Who posted it and when, how long it is shown, and the status of its emails. */
function Facts({ update, pinned, timeZone, now }: Pick<Props, "update" | "timeZone" | "now"> & { pinned: boolean }) {
  const end = update.expires_at;
  return (
    <div className="flex flex-wrap items-center gap-x-4 text-xs text-muted md:leading-snug">
      <time dateTime={update.created_at} title={campDateTime(update.created_at, timeZone)}>
        {ago(update.created_at, timeZone, new Date(Math.max(now, Date.parse(update.created_at))))}
      </time>
      <span className="min-w-0 wrap-anywhere md:order-1 md:basis-full">
        Posted by <bdi>{update.author}</bdi>
        {update.posted_by && (
          <>
            {" "}
            (<bdi>{update.posted_by}</bdi>)
          </>
        )}
      </span>
      <span className="inline-flex items-center gap-1.5 tabular-nums">
        <Icon name="mail" />
        {update.deliveries ? deliverySummary(update.deliveries) : "No email"}
      </span>
      {pinned && update.pinned_until && (
        <span>
          Pinned until <time dateTime={update.pinned_until}>{scheduleTime(update.pinned_until, timeZone)}</time>
        </span>
      )}
      {end != null && (
        <span className="inline-flex items-center gap-1.5">
          <Icon name="clock" />
          <span>
            {Date.parse(end) <= now ? "Ended" : "Until"} <time dateTime={end}>{scheduleTime(end, timeZone)}</time>
          </span>
        </span>
      )}
    </div>
  );
}

export const UpdatesSkeleton = () => (
  <Loading label="Loading updates" className="sheet overflow-clip">
    {Array.from({ length: 4 }, (_, i) => (
      <div key={i} className="grid gap-2.5 border-line p-5 not-first:border-t">
        <Skeleton className="h-5 w-44" />
        <Skeleton className="h-5 w-2/5" />
        <Skeleton className="w-3/4" />
        <Skeleton className="w-1/3" />
      </div>
    ))}
  </Loading>
);
