import { useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../api/client";
import { number } from "../../lib/format";
import { Drawer } from "../../ui/drawer";
import { restoreFocusTo } from "../../ui/focus";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { CommentCard } from "../comments/comment-card";
import { DeleteComment } from "../comments/delete-comment";
import { needsReview, videoCommentsQuery, type AdminComment } from "../comments/queries";
import { useModeration } from "../comments/use-moderation";
import { done } from "../comments/words";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { VideoTitle } from "../shared/video-title";
import { MailReport } from "./mail-report";

/** The emails about a video, and its comments. */
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
  const heading = useRef<HTMLHeadingElement>(null);
  const reported = comments.data?.filter(needsReview).length ?? 0;
  const held = comments.data?.filter((comment) => comment.held).length ?? 0;
  return (
    <section aria-labelledby="comments" className="mt-8 border-t border-line pt-6">
      <h3 ref={heading} id="comments" tabIndex={-1} className="flex items-baseline justify-between gap-3">
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
              <CommentItem
                key={comment.id}
                comment={comment}
                now={comments.dataUpdatedAt}
                onDeleted={() => restoreFocusTo(heading.current)}
              />
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

type ItemProps = { comment: AdminComment; now: number; onDeleted: () => void };

function CommentItem({ comment, now, onDeleted }: ItemProps) {
  const [asking, setAsking] = useState(false);
  const { busyWith, act } = useModeration(({ action }) => toast(done[action]));
  return (
    <li className="border-line py-4 not-first:border-t">
      <CommentCard
        comment={comment}
        now={now}
        busy={busyWith(comment)}
        onAct={(action) => act(comment, action)}
        onDelete={() => setAsking(true)}
      />
      {asking && <DeleteComment comment={comment} onGone={onDeleted} onClose={() => setAsking(false)} />}
    </li>
  );
}
