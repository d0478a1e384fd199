import { useSite } from "../../api/queries";
import { count } from "../../lib/format";
import { initials } from "../../lib/initials";
import { ago, campDateTime } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { paths } from "../../lib/paths";
import { Avatar } from "../../ui/avatar";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { directionOf } from "../../ui/direction";
import { InlineTitle } from "../../ui/inline-title";
import { OwnLines } from "../../ui/own-lines";
import type { Action, AdminComment, ReportReason } from "./queries";
import { acceptance, actionName, categoryName } from "./words";

type Props = {
  comment: AdminComment;
  /** When the list was loaded. */
  now: number;
  /** Whether to name the video, in a list with comments on several videos. */
  withVideo?: boolean;
  /** The action that is being sent. */
  busy: Action | null;
  onAct: (action: Action) => void;
  onDelete: () => void;
};

/** A comment with the readers' reports about it, and the buttons for staff. */
export function CommentCard({ comment, now, withVideo = false, busy, onAct, onDelete }: Props) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { author_name, content, created_at, hidden, reasons } = comment;
  const accepted = acceptance(comment);
  const whose = <span className="sr-only"> comment by {author_name}</span>;
  const decision = (action: Action) => (
    <Button look="line" busy={busy === action} onClick={() => onAct(action)} className="min-h-10 px-4 text-sm">
      {actionName[action]}
      {whose}
    </Button>
  );

  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <Avatar initials={initials(author_name)} className="size-[min(2.125rem,11vw)] text-xs" />
      <div className="grid min-w-0 grid-cols-1 gap-2">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <span className={cx("min-w-0 font-medium wrap-anywhere", withVideo && "max-sm:w-full")}>
            <bdi>{author_name}</bdi>
          </span>
          {withVideo && (
            <span className="min-w-0 text-sm text-muted">
              on{" "}
              <Link to={paths.video(comment.video_id)} className="link">
                <InlineTitle>{comment.video_title}</InlineTitle>
              </Link>
            </span>
          )}
          <time
            dateTime={created_at}
            title={campDateTime(created_at, timeZone)}
            className={cx("max-w-full shrink-0 text-sm text-muted tabular-nums", withVideo ? "sm:ms-auto" : "ms-auto")}
          >
            {ago(created_at, timeZone, new Date(Math.max(now, Date.parse(created_at))))}
          </time>
        </div>
        <p className={cx("wrap-anywhere", hidden && "text-muted line-through decoration-line decoration-1")}>
          <OwnLines text={content} />
        </p>
        <CommentBadges comment={comment} />
        {reasons.length > 0 && <Reasons reasons={reasons} timeZone={timeZone} />}
        <div className="flex flex-wrap items-center gap-2">
          {accepted && decision(accepted)}
          {decision(hidden ? "show" : "hide")}
          <Button look="quiet" onClick={onDelete} className="min-h-10 px-3 text-sm text-clay! hover:bg-clay-wash!">
            Delete
            {whose}
          </Button>
        </div>
      </div>
    </div>
  );
}

function CommentBadges({ comment: { reports, held, hidden } }: { comment: AdminComment }) {
  if (reports === 0 && !held && !hidden) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {reports > 0 && (
        <Badge tone="bad" icon="flag">
          Reported by {count(reports, "reader")}
        </Badge>
      )}
      {held && (
        <Badge tone="due" icon="clock">
          Waiting
        </Badge>
      )}
      {hidden && <Badge icon="eye">Hidden</Badge>}
    </div>
  );
}

/** What each reader says is wrong with it. */
const Reasons = ({ reasons, timeZone }: { reasons: ReportReason[]; timeZone: string }) => (
  <div role="group" aria-label="What readers report" className="grid gap-1 border-s-3 border-clay/50 ps-3 text-sm">
    {reasons.map(({ category, reason, created_at }, i) => (
      <p key={`${created_at} ${i}`} className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{categoryName[category]}</span>
        {reason && (
          <q dir={directionOf(reason)} className="min-w-0 whitespace-pre-line wrap-anywhere">
            {reason}
          </q>
        )}
        <time dateTime={created_at} title={campDateTime(created_at, timeZone)} className="text-muted">
          {ago(created_at, timeZone)}
        </time>
      </p>
    ))}
  </div>
);
