import { useState } from "react";
import type { AdminVideo } from "../../api/client";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { explain } from "../../lib/forms";
import { count, number } from "../../lib/format";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { errorToast, toast } from "../../ui/toast";
import { restoreFocus } from "../../ui/focus";
import { useQuietNow } from "../shared/quiet-time";
import { bulkVideos, useVideosChanged } from "./queries";
import { requiresSignIn } from "../shared/session";
import { VideoTitle } from "../shared/video-title";
import { withNotifications } from "./words";

/** The server's limit for one request. */
const most = 100;

/** The selected videos among those on the page. Videos that a filter hides are no longer selected. */
export function useSelection(shown: readonly AdminVideo[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const chosen = shown.filter(({ id }) => ids.has(id));
  return {
    chosen,
    has: (id: string) => ids.has(id),
    all: chosen.length > 0 && chosen.length === shown.length,
    toggle: (id: string) =>
      setIds((now) => {
        const next = new Set(now);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    toggleAll: () => setIds(new Set(chosen.length === shown.length ? [] : shown.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}

type Selection = ReturnType<typeof useSelection>;

/** Selects all videos on the page. */
export const SelectAll = ({ selection: { chosen, all, toggleAll } }: { selection: Selection }) => (
  <label className="inline-flex min-h-tap items-center gap-3 ps-3 text-sm md:ps-4">
    <input
      type="checkbox"
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = chosen.length > 0 && !all;
      }}
      onChange={toggleAll}
      className="size-5.5 shrink-0"
    />
    Select all shown
  </label>
);

/** The actions for the selected videos, visible at any scroll position. */
export function SelectionBar({ selection: { chosen, clear } }: { selection: Selection }) {
  const [asking, setAsking] = useState<"publish" | "delete" | null>(null);
  const tooMany = chosen.length > most;
  const close = () => setAsking(null);
  return (
    <>
      {/* Announced even when the selection becomes empty. */}
      <p role="status" className="sr-only">
        {chosen.length > 0 ? `${count(chosen.length, "video")} selected` : ""}
      </p>
      {chosen.length > 0 && (
        <div
          role="group"
          aria-label="Selected videos"
          className="sheet sticky bottom-3 z-10 mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 shadow-high"
        >
          <p className="me-auto font-medium tabular-nums">
            {number(chosen.length)} selected
            {tooMany && <span className="block text-sm font-normal text-clay">At most {most} at once.</span>}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
            <Button look="line" icon="check" disabled={tooMany} onClick={() => setAsking("publish")}>
              Publish
            </Button>
            <Button look="danger" icon="trash" disabled={tooMany} onClick={() => setAsking("delete")}>
              Delete
            </Button>
          </div>
        </div>
      )}
      {asking === "publish" && <PublishAll videos={chosen} onDone={clear} onClose={close} />}
      {asking === "delete" && <DeleteAll videos={chosen} onDone={clear} onClose={close} />}
    </>
  );
}

type AskProps = { videos: readonly AdminVideo[]; onDone: () => void; onClose: () => void };

function PublishAll({ videos, onDone, onClose }: AskProps) {
  const { run, failed } = useBulk("publish", onDone);
  const timeZone = useSite()?.timezone ?? "UTC";
  const quiet = useQuietNow();
  const hidden = videos.filter(({ status }) => status !== "published");
  const mails = hidden.reduce((sum, { recipients }) => sum + (recipients ?? 0), 0);
  const already = videos.length - hidden.length;
  if (hidden.length === 0) {
    return (
      <ConfirmDialog
        title={videos.length === 1 ? "This video is already published" : "These videos are already published"}
        name={<Titles videos={videos} />}
        action="OK"
        look="main"
        onConfirm={onClose}
        onClose={onClose}
      >
        There is nothing to publish.
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Publish ${count(hidden.length, "video")}?`}
      name={<Titles videos={hidden} />}
      action={mails > 0 ? `Publish and send ${count(mails, "email")}` : "Publish"}
      look="main"
      onClose={onClose}
      failed={failed}
      onConfirm={() =>
        run(hidden, (bulk) => ({
          title: "Success",
          description: withNotifications(`${count(bulk.done, "video")} published`, bulk, timeZone),
        }))
      }
    >
      {mails > 0
        ? `Families see ${hidden.length === 1 ? "it" : "them"} right away, and ${mails === 1 ? "1 email goes" : `${number(mails)} emails go`} out${quiet ? ` after quiet time (${quiet.name})` : ""}.`
        : `Families see ${hidden.length === 1 ? "it" : "them"} right away. No emails are sent.`}
      {already > 0 && ` ${already === 1 ? "1 more is" : `${number(already)} more are`} already published.`}
    </ConfirmDialog>
  );
}

function DeleteAll({ videos, onDone, onClose }: AskProps) {
  const { run, failed } = useBulk("delete", onDone);
  const comments = videos.reduce((sum, video) => sum + video.comment_count, 0);
  const likes = videos.reduce((sum, video) => sum + video.like_count, 0);
  const lost = [comments > 0 && count(comments, "comment"), likes > 0 && count(likes, "like")]
    .filter(Boolean)
    .join(" and ");
  return (
    <ConfirmDialog
      title={`Are you sure you want to delete ${videos.length === 1 ? "this video" : `these ${number(videos.length)} videos`}?`}
      name={<Titles videos={videos} />}
      action={`Delete ${count(videos.length, "video")}`}
      onClose={onClose}
      failed={failed}
      onConfirm={() =>
        run(videos, ({ done }) => ({ title: "Success", description: `${count(done, "video")} deleted successfully` }))
      }
    >
      {lost && `${lost} ${comments + likes === 1 ? "goes" : "go"} with ${videos.length === 1 ? "it" : "them"}. `}This
      cannot be undone.
    </ConfirmDialog>
  );
}

type Done = Awaited<ReturnType<typeof bulkVideos>>;

function useBulk(action: "publish" | "delete", onDone: () => void) {
  const videosChanged = useVideosChanged();
  async function run(videos: readonly AdminVideo[], says: (done: Done) => { title: string; description: string }) {
    const done = await bulkVideos(
      videos.map(({ id }) => id),
      action,
    );
    onDone();
    toast(says(done));
    void videosChanged().then(restoreFocus);
  }
  function failed(error: unknown) {
    const gone = isApiError(error, "not_found");
    if (gone) void videosChanged();
    if (!requiresSignIn(error))
      errorToast(action === "delete" ? "Failed to delete videos" : "Failed to publish videos");
    return gone
      ? "Someone just deleted one of them, so nothing was done. Please check the list and try again."
      : explain(error);
  }
  return { run, failed };
}

/** The titles of the selected videos. A long list scrolls, with the keyboard too. */
const Titles = ({ videos }: { videos: readonly AdminVideo[] }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <ul aria-label="Videos" tabIndex={videos.length > 6 ? 0 : undefined} className="grid max-h-48 gap-1 overflow-auto">
    {videos.map(({ id, title }) => (
      <li key={id}>
        <VideoTitle>{title}</VideoTitle>
      </li>
    ))}
  </ul>
);
