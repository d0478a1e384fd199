import type { LiveUpdate } from "../api/client";
import { isPinned } from "../api/is-pinned";
import { useSite } from "../api/queries";
import { campZone } from "../lib/format";
import { age, campDateTime, minutesSince } from "../lib/moments";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { cx } from "../ui/class-names";
import { directionOf } from "../ui/direction";
import { LinkedText } from "../ui/linked-text";
import { OwnLines } from "../ui/own-lines";
import { Loading, Skeleton } from "../ui/states";

const newFor = 2 * 60;

const row = "relative grid gap-x-6 gap-y-1.5 border-t border-line py-4 md:grid-cols-[118px_minmax(0,1fr)] md:py-6";

export function UpdateItem({
  update,
  now,
  heading: Heading = "h3",
}: {
  update: LiveUpdate;
  now: Date;
  heading?: "h2" | "h3";
}) {
  const high = update.priority === "high";
  return (
    <li
      className={cx(
        row,
        high && "before:absolute before:-top-px before:h-[3px] before:w-12 before:bg-clay md:before:w-[118px]",
      )}
    >
      <Age update={update} now={now} className="text-sm text-muted md:pt-0.5" />
      <div className="max-w-[64ch] min-w-0">
        <UpdateBadges update={update} now={now} />
        <Heading dir={directionOf(update.title)} className="text-xl">
          <Link
            to={paths.update(update.id)}
            className="text-inherit no-underline hover:underline hover:decoration-1 hover:underline-offset-4"
          >
            {update.title}
          </Link>
        </Heading>
        <UpdateText update={update} />
      </div>
    </li>
  );
}

export function Age({ update, now, className }: { update: LiveUpdate; now: Date; className?: string }) {
  const site = useSite();
  return (
    <time
      dateTime={update.created_at}
      title={site && campDateTime(update.created_at, site.timezone) + campZone(update.created_at, site.timezone)}
      className={className}
    >
      {age(update.created_at, now)}
    </time>
  );
}

export function UpdateBadges({ update, now }: { update: LiveUpdate; now: Date }) {
  const fresh = minutesSince(update.created_at, now) < newFor;
  const pinned = isPinned(update, now);
  if (update.priority !== "high" && !fresh && !pinned) return null;
  return (
    <div className="mb-2 flex flex-wrap gap-2">
      {update.priority === "high" && (
        <Badge tone="bad" icon="horn">
          High Priority
        </Badge>
      )}
      {fresh && <Badge tone="new">New</Badge>}
      {pinned && <Badge>Pinned</Badge>}
    </div>
  );
}

export const UpdateText = ({ update }: { update: LiveUpdate }) => (
  <>
    <p className="mt-1.5">
      <OwnLines text={update.message}>{(text) => <LinkedText text={text} />}</OwnLines>
    </p>
    <p className="mt-2 text-sm text-muted">
      Posted by <bdi>{update.author}</bdi>
    </p>
  </>
);

export const UpdatesSkeleton = ({ rows }: { rows: number }) => (
  <Loading label="Loading updates">
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} className={row}>
        <Skeleton className="w-20" />
        <div className="grid gap-2.5">
          <Skeleton className="h-6 w-3/5" />
          <Skeleton className="w-11/12" />
          <Skeleton className="w-2/5" />
        </div>
      </div>
    ))}
  </Loading>
);
