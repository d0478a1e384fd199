import { useState, type ReactNode } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { Button, IconButton } from "../../../ui/button";
import { cx } from "../../../ui/class-names";
import { ConfirmDialog } from "../../../ui/dialog";
import { Icon, type IconName } from "../../../ui/icon";
import { ProgressBar } from "../../../ui/progress-bar";
import { errorToast } from "../../../ui/toast";
import { useStaff } from "../../shared/session";
import { isBroken, type LiveUpload } from "./live-upload";
import { PickButton } from "./pick-button";
import { uploadsChanged } from "./queries";
import { cancel, continueFile, dropUpload, isSameFile, pause, resume } from "./transfers";
import { RetryButton } from "./upload-badges";
import { fileSize, ladder, sentOf, timeLeft } from "./words";

type Props = {
  upload: LiveUpload;
  /** Whether another device or tab is sending it. */
  elsewhere?: boolean;
  /** Whether it is inside a form, which has its own frame. */
  flat?: boolean;
  /** Called after the upload was deleted. */
  onGone?: () => void;
  children?: ReactNode;
};

/** A file that is on its way or being converted, with the possible actions. */
export function UploadCard({ upload, elsewhere = false, flat = false, onGone, children }: Props) {
  const { file_name, state, transfer, percent } = upload;
  const broken = isBroken(upload);
  const stopped = state === "uploading" && !elsewhere && (!transfer || transfer.state === "paused");
  return (
    <div
      className={cx(
        "grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1.5",
        flat
          ? "rounded-md bg-sunk px-3.5 py-3"
          : cx(
              "sheet border-s-4! p-4 md:grid-cols-[auto_minmax(0,1fr)_auto_auto] md:py-3",
              edges[broken ? "clay" : stopped ? "edge" : "lake"],
            ),
      )}
    >
      <Icon
        name={broken ? "alert" : iconOf(upload)}
        className={cx("mt-0.5 size-6", broken ? "text-clay" : "text-lake")}
      />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          {/* Keeps the extension at the end, in Yiddish too. */}
          <bdi dir="ltr">{file_name}</bdi>
        </p>
        <p
          role={broken ? "alert" : undefined}
          className={cx("text-sm tabular-nums", broken ? "text-clay" : "text-muted")}
        >
          {said(upload, elsewhere)}
        </p>
      </div>
      <RemoveButton upload={upload} {...(onGone ? { onGone } : {})} />
      {state === "failed" && upload.log && (
        <details className="col-span-full text-sm">
          <summary className="link inline-flex min-h-tap items-center">Log</summary>
          <pre dir="ltr" className="max-h-48 overflow-auto rounded-sm bg-sunk p-2 text-xs whitespace-pre-wrap">
            {upload.log}
          </pre>
        </details>
      )}
      {(state === "uploading" || state === "converting") && transfer?.state !== "refused" && (
        <ProgressBar
          label={`${state === "converting" ? (upload.is_trim ? "Trimming" : "Converting") : "Uploading"} ${file_name}`}
          percent={percent}
          tone={stopped ? "amber" : "lake"}
          className="col-span-full my-1"
        />
      )}
      {/* Beside the name where there is room, so that several files do not fill the screen. */}
      <div
        className={cx(
          "col-span-full -mb-2 -ms-2.5 flex flex-wrap items-center gap-x-2 empty:hidden",
          !flat && "md:col-span-1 md:col-start-3 md:row-start-1 md:mx-3 md:mb-0",
        )}
      >
        <Actions upload={upload} elsewhere={elsewhere} />
        {children}
      </div>
    </div>
  );
}

const edges = { lake: "border-s-lake!", clay: "border-s-clay!", edge: "border-s-amber!" };

const iconOf = ({ state }: LiveUpload): IconName =>
  state === "ready" ? "check" : state === "waiting" ? "clock" : "film";

/** The progress in words. */
function said(upload: LiveUpload, elsewhere: boolean) {
  const { state, transfer, percent, size_bytes, received_bytes, problem, is_trim } = upload;
  if (state === "waiting") return is_trim ? "It waits to be trimmed." : "It has arrived and waits to be converted.";
  if (state === "converting") return `${is_trim ? "Trimming" : "Converting for phones and computers"}, ${percent}%`;
  if (state === "failed") return problem ?? "The file could not be converted.";
  if (state === "ready")
    return `Ready${upload.renditions.length > 0 ? ` in ${ladder(upload.renditions)}` : ""}, ${fileSize(size_bytes)}`;
  if (!transfer) {
    return elsewhere
      ? `${percent}% has arrived. It is being sent from another device or tab.`
      : `Stopped at ${percent}%, ${sentOf(received_bytes, size_bytes)}. Choose the same file again to go on.`;
  }
  const arrived = sentOf(transfer.sent, size_bytes);
  switch (transfer.state) {
    case "waiting":
      return `Waiting for its turn, ${fileSize(size_bytes)}`;
    case "sending":
      return transfer.speed > 0
        ? `${arrived}, ${fileSize(transfer.speed)}/s, ${timeLeft((size_bytes - transfer.sent) / transfer.speed)}`
        : arrived;
    case "paused":
      return `Paused at ${arrived}`;
    case "lost":
      return `No connection at ${arrived}. It goes on by itself.`;
    case "signedOut":
      return `Stopped at ${arrived}. It goes on once you have signed in again.`;
    case "refused":
      return transfer.problem;
  }
}

function Actions({ upload, elsewhere }: { upload: LiveUpload; elsewhere: boolean }) {
  const { id, state, transfer, file_name } = upload;
  const name = <span className="sr-only"> {file_name}</span>;
  if (state === "failed") return upload.can_retry ? <RetryButton upload={upload} name={file_name} /> : null;
  if (state !== "uploading") return null;
  if (!transfer) {
    if (elsewhere) return null;
    return (
      <PickButton
        look="quiet"
        icon="up"
        onPick={([file]) =>
          isSameFile(upload, file!)
            ? continueFile(id, file!, upload.received_bytes)
            : errorToast(`This is another file. Please choose “${file_name}” (${fileSize(upload.size_bytes)}).`)
        }
      >
        Choose the file{name}
      </PickButton>
    );
  }
  if (transfer.state === "paused" || transfer.state === "lost") {
    return (
      <Button look="quiet" icon="play" onClick={() => resume(id)}>
        {transfer.state === "paused" ? "Resume upload" : "Try now"}
        {name}
      </Button>
    );
  }
  if (transfer.state === "sending" || transfer.state === "waiting") {
    return (
      <Button look="quiet" icon="pause" onClick={() => pause(id)}>
        Pause upload{name}
      </Button>
    );
  }
  return null;
}

/** Cancels an upload, or deletes a file that nobody needs. Asks first. */
function RemoveButton({ upload, onGone }: { upload: LiveUpload; onGone?: () => void }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { id, state, transfer, file_name, video_id, uploaded_by } = upload;
  const me = useStaff();
  const colleague = uploaded_by && uploaded_by !== me?.username ? uploaded_by : null;
  if (video_id && state === "ready") return <span />;
  const running = state === "uploading";
  const label = `${running ? "Cancel" : "Delete"} ${file_name}`;
  return (
    <>
      <IconButton icon="close" label={label} onClick={() => setAsking(true)} className="-m-2.5" />
      {asking && (
        <ConfirmDialog
          title={running ? "Cancel this upload?" : "Delete this file?"}
          name={<bdi>{file_name}</bdi>}
          action={running ? "Cancel upload" : "Delete file"}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            if (transfer && transfer.state !== "refused") await cancel(id);
            else await dropUpload(id);
            onGone?.();
            await uploadsChanged(client);
          }}
        >
          {colleague && !video_id && (
            <>
              <bdi>{colleague}</bdi> uploaded it, maybe for a form that is open.{" "}
            </>
          )}
          {running ? "The part that has already arrived will be deleted." : "It is deleted from the portal."}
          {video_id && " The video keeps everything else. Without another file it becomes a draft."}
        </ConfirmDialog>
      )}
    </>
  );
}
