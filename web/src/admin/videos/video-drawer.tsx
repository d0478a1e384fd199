import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AdminVideo } from "../../api/client";
import { useSite, useAction } from "../../api/queries";
import { ago, count, initials, number } from "../../lib/format";
import { Avatar } from "../../ui/avatar";
import { Badge } from "../../ui/badge";
import { cx } from "../../ui/class-names";
import { ConfirmDialog } from "../../ui/dialog";
import { Drawer } from "../../ui/drawer";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { MailReport } from "./mail-report";
import {
  approveComment,
  needsReview,
  deleteComment,
  hideComment,
  showComment,
  useVideosChanged,
  videoCommentsQuery,
  type AdminComment,
} from "./queries";
import { VideoTitle } from "../shared/video-title";

/** The mails about a video, and its comments. */
export function VideoDrawer({ video, onClose }: { video: AdminVideo; onClose: () => void }) {
  return (
    <Drawer title={<VideoTitle>{video.title}</VideoTitle>} onClose={onClose}>
      <section aria-labelledby="mails">
        <h3 id="mails" className="mb-3">
          Emails to families
        </h3>
        <MailReport video={video} />
      </section>
      <Comments video={video} />
    </Drawer>
  );
}

function Comments({ video }: { video: AdminVideo }) {
  const comments = useQuery({
    ...videoCommentsQuery(video.id),
    refetchInterval: useRefetchInterval(everyFifteenSeconds),
  });
  const reported = comments.data?.filter(needsReview).length ?? 0;
  const held = comments.data?.filter((comment) => comment.held).length ?? 0;
  return (
    <section aria-labelledby="comments" className="mt-8 border-t border-line pt-6">
      <h3 id="comments" className="flex items-baseline justify-between gap-3">
        Comments
        {comments.data && (
          <span className="font-sans text-sm font-normal text-muted tabular-nums">{number(comments.data.length)}</span>
        )}
      </h3>
      {held > 0 && (
        <p className="mt-1 text-sm text-due">
          {held === 1 ? "1 waits" : `${number(held)} wait`} for you to read {held === 1 ? "it" : "them"}. Until then
          only {held === 1 ? "its author sees it" : "their authors see them"}.
        </p>
      )}
      {reported > 0 && (
        <p className="mt-1 text-sm text-clay">
          {reported === 1 ? "1 was reported by readers." : `${number(reported)} were reported by readers.`} Reported
          ones come first.
        </p>
      )}
      {comments.data ? (
        comments.data.length > 0 ? (
          <ol className="mt-2">
            {comments.data.map((comment) => (
              <CommentItem key={comment.id} comment={comment} videoId={video.id} now={comments.dataUpdatedAt} />
            ))}
          </ol>
        ) : (
          <EmptyState title="No comments yet" text="Comments by families appear here." className="mt-4" />
        )
      ) : comments.isError ? (
        <ErrorState
          title="Error loading comments"
          error={comments.error}
          retrying={comments.isFetching}
          onRetry={comments.refetch}
          className="mt-4"
        />
      ) : (
        <Loading label="Loading comments" className="mt-4 grid gap-4">
          {Array.from({ length: 4 }, (_, i) => (
            <Skeleton key={i} className="h-14" />
          ))}
        </Loading>
      )}
    </section>
  );
}

function CommentItem({ comment, videoId, now }: { comment: AdminComment; videoId: string; now: number }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const [asking, setAsking] = useState(false);
  const { changed, approval, toggle } = useModeration(comment, videoId);
  const whose = <span className="sr-only"> comment by {comment.author_name}</span>;

  return (
    <li className="grid grid-cols-[34px_minmax(0,1fr)] gap-x-3 border-line py-4 not-first:border-t">
      <Avatar initials={initials(comment.author_name)} className="size-8.5 text-xs" />
      <div className="min-w-0">
        <p className="flex items-baseline justify-between gap-3">
          <bdi className="min-w-0 font-medium">{comment.author_name}</bdi>
          <time dateTime={comment.created_at} className="shrink-0 text-sm text-muted">
            {ago(comment.created_at, timeZone, new Date(Math.max(now, Date.parse(comment.created_at))))}
          </time>
        </p>
        <p
          dir="auto"
          className={cx("whitespace-pre-line", comment.hidden && "text-muted line-through decoration-line")}
        >
          {comment.content}
        </p>
        <div className="-mb-2 flex flex-wrap items-center gap-x-4">
          <CommentBadges comment={comment} />
          {comment.held && (
            <button
              type="button"
              aria-disabled={approval.isPending}
              onClick={() => !approval.isPending && approval.mutate()}
              className={textButton}
            >
              Approve
              {whose}
            </button>
          )}
          <button
            type="button"
            aria-disabled={toggle.isPending}
            onClick={() => !toggle.isPending && toggle.mutate()}
            className={textButton}
          >
            {comment.hidden ? "Show" : "Hide"}
            {whose}
          </button>
          <button type="button" onClick={() => setAsking(true)} className={cx(textButton, "hover:text-clay")}>
            Delete
            {whose}
          </button>
        </div>
      </div>
      {asking && (
        <ConfirmDialog
          title={`Delete the comment by ${comment.author_name}?`}
          name={comment.content.length > 140 ? `${comment.content.slice(0, 140)}…` : comment.content}
          action="Delete comment"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deleteComment(comment.id);
            toast({ title: "Comment deleted" });
            await changed();
          }}
        >
          This cannot be undone. A hidden comment can be shown again later.
        </ConfirmDialog>
      )}
    </li>
  );
}

/** Approves, hides and shows a comment. */
function useModeration(comment: AdminComment, videoId: string) {
  const client = useQueryClient();
  const videosChanged = useVideosChanged();
  const changed = async () => {
    await client.invalidateQueries({ queryKey: videoCommentsQuery(videoId).queryKey });
    await videosChanged();
  };
  const failed = (error: unknown) => toastFailure(error);
  const approval = useAction({
    mutationFn: () => approveComment(comment.id),
    onSuccess: async () => {
      await changed();
      toast({ title: "Comment approved", description: "Families can see it, and whatever its author writes next." });
    },
    onError: failed,
  });
  const toggle = useAction({
    mutationFn: () => (comment.hidden ? showComment(comment.id) : hideComment(comment.id)),
    onSuccess: async () => {
      await changed();
      toast(
        comment.hidden
          ? { title: "Comment shown", description: "Families can see it again." }
          : { title: "Comment hidden", description: "Families no longer see it." },
      );
    },
    onError: failed,
  });
  return { changed, approval, toggle };
}

const CommentBadges = ({ comment: { reports, held, hidden } }: { comment: AdminComment }) => (
  <>
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
    {hidden && <Badge>Hidden</Badge>}
  </>
);

const textButton =
  "inline-flex min-h-tap items-center text-sm font-medium text-pine underline-offset-2 hover:underline";
