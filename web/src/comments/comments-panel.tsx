import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError, type Comment, type Video } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { useAction } from "../api/use-action";
import { explain } from "../lib/forms";
import { useNow } from "../lib/clock";
import { number } from "../lib/format";
import { initials } from "../lib/initials";
import { LoadMore } from "../lib/load-more";
import { ago } from "../lib/moments";
import { Link, usePathname } from "../lib/navigation";
import { writeUnsent, readUnsent, useUnsentDeletions } from "../lib/unsent";
import { paths } from "../lib/paths";
import { Avatar } from "../ui/avatar";
import { AvatarRowSkeleton } from "../ui/avatar-row-skeleton";
import { Button } from "../ui/button";
import { cx } from "../ui/class-names";
import { ConfirmDialog } from "../ui/dialog";
import { TextArea } from "../ui/field";
import { restoreFocusTo } from "../ui/focus";
import { Icon } from "../ui/icon";
import { OwnLines } from "../ui/own-lines";
import { ErrorState, Loading } from "../ui/states";
import { toast } from "../ui/toast";
import { changeComments, commentsQuery, deleteComment, postComment } from "./queries";

const ReportDialog = lazy(() => import("./report-dialog"));

const longest = 2_000;

export function CommentsPanel({ videoId, total }: { videoId: string; total: number }) {
  const comments = useInfiniteQuery(commentsQuery(videoId));
  const shown = comments.data?.length ?? 0;
  useCountOf(videoId, total, comments.data && !comments.hasNextPage ? comments.data : null);
  const now = useNow();
  const deletions = useUnsentDeletions();
  return (
    <section aria-labelledby="comments" className="sheet overflow-clip max-md:-mx-1">
      <header className="flex items-center justify-between px-5 py-4">
        <h2 id="comments" tabIndex={-1} className="text-xl">
          Comments
        </h2>
        <span className="text-muted tabular-nums">
          {number(comments.data && !comments.hasNextPage ? shown : Math.max(total, shown))}
        </span>
      </header>
      <CommentForm key={`${deletions} ${videoId}`} videoId={videoId} />
      {comments.data ? (
        shown > 0 ? (
          // Focusable, so that the keyboard can scroll it.
          <div
            role="group"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            aria-label="Comments, newest first"
            className="relative max-h-[500px] overflow-auto px-5 focus-visible:-outline-offset-3 lg:max-h-[600px]"
          >
            <ol>
              {comments.data.map((comment) => (
                <CommentItem key={comment.id} comment={comment} videoId={videoId} now={now} />
              ))}
            </ol>
            <LoadMore label="Show older comments" list={comments} look="quiet" className="pb-3" />
          </div>
        ) : (
          <p className="px-5 py-8 text-center text-muted">No comments yet. Be the first to write one.</p>
        )
      ) : comments.isError ? (
        <ErrorState
          title="Error loading comments"
          error={new Error("Could not load comments at this time.")}
          retrying={comments.isFetching}
          onRetry={comments.refetch}
          className="m-4"
        />
      ) : (
        <CommentsSkeleton />
      )}
    </section>
  );
}

/** Corrects the count in the cached video, which may be older than a complete list of comments. */
function useCountOf(videoId: string, total: number, complete: Comment[] | null) {
  const client = useQueryClient();
  const visible = complete ? complete.filter(({ held }) => !held).length : total;
  useEffect(() => {
    if (visible === total) return;
    client.setQueryData<Video>(["video", videoId], (video) => video && { ...video, comment_count: visible });
  }, [client, videoId, total, visible]);
}

/** The text in the field, including text that was typed earlier and not sent. */
function useTyped(what: string) {
  const { user, pending } = useSession();
  const kept = useMemo(() => (pending ? null : readUnsent<string>(what, user?.id)), [what, user?.id, pending]);
  const [typed, setTyped] = useState<string | null>(null);
  const content = typed ?? kept ?? "";
  const latest = useRef(content);
  useEffect(() => {
    latest.current = content;
  });
  const typedEarly = useRef(false);

  function type(words: string) {
    setTyped(words);
    if (pending) typedEarly.current = true;
    else writeUnsent(what, user?.id, words || null);
  }

  // Text typed before the session is known goes after the person's earlier text.
  const keepEarly = useEffectEvent(() => {
    if (typedEarly.current) type([kept, typed].filter(Boolean).join("\n"));
    typedEarly.current = false;
  });
  useEffect(() => {
    if (!pending) keepEarly();
  }, [pending]);

  return { content, latest, type, touched: typed !== null };
}

function CommentForm({ videoId }: { videoId: string }) {
  const { user, pending } = useSession();
  const pathname = usePathname();
  const client = useQueryClient();
  const { content, latest, type, touched } = useTyped(`comment ${videoId}`);
  // A double click is faster than the mutation's pending state.
  const sending = useRef(false);

  const post = useAction({
    mutationFn: (words: string) => postComment(videoId, words),
    onSettled: () => {
      sending.current = false;
    },
    onSuccess: (saved, words) => {
      // Text typed in the meantime is the next comment.
      if (latest.current.trim() === words) type("");
      changeComments(client, videoId, { posted: saved });
    },
    onError: (error) =>
      toast({
        title: "Error posting comment",
        description: refused(error) ? explain(error) : "Could not post your comment at this time.",
        destructive: true,
      }),
  });

  const mayWrite = Boolean(user?.can_comment);
  const length = [...content].length;
  const ready = mayWrite && content.trim() !== "" && [...content.trim()].length <= longest && !post.isPending;
  const placeholder = !user
    ? "Please sign in to post a comment"
    : mayWrite
      ? "Write a comment"
      : "Please confirm your email to post a comment";

  return (
    <form
      className="grid gap-2 border-y border-line bg-sunk px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!ready || sending.current) return;
        sending.current = true;
        post.mutate(content.trim());
      }}
    >
      <TextArea
        aria-label="Your comment"
        name="content"
        dir="auto"
        rows={3}
        maxLength={longest}
        placeholder={pending ? "" : placeholder}
        // Text already in the field can still be read, copied and changed.
        disabled={!pending && !mayWrite && !touched}
        value={content}
        onChange={(event) => type(event.target.value)}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <span className="min-w-0 text-xs wrap-anywhere text-muted tabular-nums">
          {!user ? (
            <Link
              to={paths.auth(pathname)}
              className={cx("link inline-flex min-h-tap items-center text-sm", pending && "invisible")}
            >
              Sign in to comment
            </Link>
          ) : length > longest - 200 && length <= longest ? (
            `${number(longest - length)} characters left`
          ) : (
            <>
              As <bdi>{user.full_name || "Anonymous"}</bdi>
            </>
          )}
        </span>
        <Button type="submit" disabled={!ready} busy={post.isPending}>
          {post.isPending ? "Posting..." : "Post comment"}
        </Button>
      </div>
    </form>
  );
}

/** Whether a comment is so long that it would push away the ones below it. */
const isLong = (text: string) => text.length > 900 || text.split("\n").length > 14;

/** Whether the server's reason is helpful to the author. */
const refused = (error: unknown) => isApiError(error) && error.status >= 400 && error.status < 500;

function CommentItem({ comment, videoId, now }: { comment: Comment; videoId: string; now: Date }) {
  const site = useSite();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"delete" | "report" | null>(null);
  const [reported, setReported] = useState(false);
  const [folded, setFolded] = useState(isLong(comment.content));

  return (
    <li className="grid grid-cols-[34px_minmax(0,1fr)] gap-x-3 border-line py-4 not-first:border-t">
      <Avatar initials={initials(comment.author_name)} className="size-8.5 text-xs" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <bdi className="min-w-0 font-medium">{comment.author_name}</bdi>
          <time dateTime={comment.created_at} className="shrink-0 text-sm text-muted">
            {ago(comment.created_at, site?.timezone ?? "UTC", now)}
          </time>
        </p>
        <p className={cx(folded && "max-h-[12lh] overflow-hidden")}>
          <OwnLines text={comment.content} />
        </p>
        {folded && (
          <button
            type="button"
            onClick={() => setFolded(false)}
            className="link -mb-2 flex min-h-tap items-center text-sm"
          >
            Read all<span className="sr-only"> of the comment by {comment.author_name}</span>
          </button>
        )}
        {comment.held && (
          <p className="flex items-center gap-1.5 text-sm text-muted">
            <Icon name="clock" />
            Waiting for the camp to approve it
          </p>
        )}
        <button
          type="button"
          onClick={() => setAsking(comment.mine ? "delete" : "report")}
          className="-mb-3 inline-flex min-h-tap items-center text-xs text-muted underline-offset-2 hover:text-clay hover:underline"
        >
          {comment.mine ? "Delete" : reported ? "Reported" : "Report"}
          <span className="sr-only"> comment by {comment.author_name}</span>
        </button>
      </div>
      {asking === "delete" && (
        <ConfirmDialog
          title="Delete your comment?"
          name={comment.content.length > 140 ? `${comment.content.slice(0, 140)}…` : comment.content}
          action="Delete comment"
          onClose={() => setAsking(null)}
          onConfirm={async () => {
            await deleteComment(comment.id);
            changeComments(client, videoId, { deleted: comment.id });
            restoreFocusTo(document.getElementById("comments"));
          }}
        >
          This cannot be undone.
        </ConfirmDialog>
      )}
      {asking === "report" && (
        <Suspense fallback={null}>
          <ReportDialog comment={comment} onReported={() => setReported(true)} onClose={() => setAsking(null)} />
        </Suspense>
      )}
    </li>
  );
}

const CommentsSkeleton = () => (
  <Loading label="Loading comments" className="px-5">
    {Array.from({ length: 4 }, (_, i) => (
      <AvatarRowSkeleton key={i} lines={["w-2/5", "w-11/12", "w-3/5"]} className="py-4" />
    ))}
  </Loading>
);
