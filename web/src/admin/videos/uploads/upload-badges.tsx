import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { AdminVideo } from "../../../api/client";
import { Badge, type BadgeTone } from "../../../ui/badge";
import { Button } from "../../../ui/button";
import type { IconName } from "../../../ui/icon";
import { toast } from "../../../ui/toast";
import { toastFailure } from "../../shared/error-toast";
import { useLiveUpload, type LiveUpload } from "./live-upload";
import { retryUpload, uploadsChanged } from "./queries";

/** The progress of a video's file, and when the video appears. Nothing for a video that can be watched. */
export function UploadBadges({ video }: { video: AdminVideo }) {
  const upload = useLiveUpload(video.upload);
  if (video.has_no_file)
    return (
      <Badge tone="bad" icon="alert">
        No file
      </Badge>
    );
  if (!upload || upload.state === "ready") return null;
  const { tone, icon, words } = stateOf(upload);
  return (
    <>
      <Badge tone={tone} icon={icon}>
        {words}
      </Badge>
      {video.publishes_when_ready && upload.state !== "failed" && (
        <Badge tone="info" icon="clock">
          Publishes when it is ready
        </Badge>
      )}
      {upload.state === "failed" && (
        <span className="flex basis-full flex-wrap items-center gap-x-3 text-sm text-clay">
          {upload.problem}
          {upload.can_retry && (
            <span className="-ms-2.5">
              <RetryButton upload={upload} name={video.title} />
            </span>
          )}
        </span>
      )}
    </>
  );
}

type State = { tone: BadgeTone; icon: IconName; words: string };

function stateOf({ state, transfer, percent, is_trim }: LiveUpload): State {
  switch (state) {
    case "uploading":
      if (transfer?.state === "paused") return { tone: "due", icon: "pause", words: `Paused at ${percent}%` };
      if (transfer?.state === "refused") return { tone: "bad", icon: "alert", words: "Upload failed" };
      if (transfer?.state === "waiting") return { tone: "info", icon: "clock", words: "Waiting to be uploaded" };
      return { tone: "info", icon: "up", words: `Uploading ${percent}%` };
    case "waiting":
      return { tone: "info", icon: "clock", words: is_trim ? "Waiting to be trimmed" : "Waiting to be converted" };
    case "converting":
      return { tone: "info", icon: "film", words: `${is_trim ? "Trimming" : "Converting"} ${percent}%` };
    case "failed":
      return { tone: "bad", icon: "alert", words: "Failed" };
    case "ready":
      return { tone: "good", icon: "check", words: "Ready" };
  }
}

export function RetryButton({ upload, name }: { upload: { id: string }; name: string }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  async function retry() {
    setBusy(true);
    try {
      await retryUpload(upload.id);
      toast({ title: "The file is being tried again" });
      await uploadsChanged(client);
    } catch (error) {
      toastFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Button look="quiet" icon="refresh" busy={busy} onClick={retry}>
      Retry<span className="sr-only"> {name}</span>
    </Button>
  );
}
