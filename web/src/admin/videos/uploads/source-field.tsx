import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { AdminVideo } from "../../../api/client";
import { Button } from "../../../ui/button";
import { FieldError } from "../../../ui/field";
import { toastFailure } from "../../shared/error-toast";
import { LinkField } from "../link-field";
import type { Tried } from "../try-video";
import { isBroken, useLiveUpload, useLiveUploads, useShownInForm, type LiveUpload } from "./live-upload";
import { PickButton } from "./pick-button";
import { uploadsChanged } from "./queries";
import { useSendFiles } from "./send-files";
import { dropUpload } from "./transfers";
import { UploadCard } from "./upload-card";

type Props = {
  label?: string;
  /** The id of the upload chosen for this video. */
  upload: string | null;
  onUpload: (id: string | null) => void;
  url: string;
  onUrl: (url: string) => void;
  /** False in a collapsed form. */
  open?: boolean;
  errors: { video_url?: string | undefined; upload_id?: string | undefined };
  saved?: AdminVideo;
  onTried: (tried: Tried) => void;
};

/** The file chosen for a video, and how another file or a link replaces it. */
function useChosenFile(chosen: LiveUpload | undefined, onUpload: Props["onUpload"]) {
  const client = useQueryClient();
  const { send, busy } = useSendFiles();
  const [problems, setProblems] = useState<string[]>([]);

  async function pick(files: File[]) {
    const { ids, problems: refused } = await send(files);
    setProblems(refused);
    if (ids[0]) await change(ids[0]);
  }

  /** Deletes the old file if it cannot be used. Otherwise it would stay on every page of the staff area. */
  async function change(next: string | null) {
    onUpload(next);
    if (!chosen || chosen.id === next || !isBroken(chosen) || chosen.video_id) return;
    await dropUpload(chosen.id).catch((error: unknown) => toastFailure(error));
    await uploadsChanged(client);
  }
  return { busy, problems, pick, change };
}

/** Where the video comes from: a file on this device, or a link. */
export function SourceField({ label, upload, onUpload, url, onUrl, open = true, errors, saved, onTried }: Props) {
  const all = useLiveUploads();
  const chosen = all.find(({ id }) => id === upload);
  const current = useLiveUpload(saved?.upload);
  useShownInForm(open ? upload : null);
  const [linked, setLinked] = useState(false);
  const { busy, problems, pick, change } = useChosenFile(chosen, onUpload);

  const refusals = [...problems, ...(errors.upload_id ? [errors.upload_id] : [])].map((text) => (
    <FieldError key={text}>{text}</FieldError>
  ));

  const another = (
    <PickButton look="quiet" busy={busy} onPick={(files) => void pick(files)}>
      Choose another video
    </PickButton>
  );
  if (upload) {
    return (
      <div role="group" aria-label="Video file" className="grid gap-2">
        {chosen ? (
          <UploadCard flat upload={chosen} onGone={() => onUpload(null)}>
            {isBroken(chosen) && another}
            <Button look="quiet" onClick={() => void change(null)}>
              {saved ? "Do not replace it" : "Use a link instead"}
            </Button>
          </UploadCard>
        ) : (
          <p role="status" className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
            Loading the file...
            {another}
          </p>
        )}
        {refusals}
      </div>
    );
  }

  const ownFile = current !== null && !linked;
  const waiting = all.filter((one) => !one.video_id && !isBroken(one));
  return (
    <div className="grid gap-4">
      <div role="group" aria-label="Video file" className="grid gap-2">
        {ownFile && <UploadCard flat upload={current} />}
        <div className="grid justify-items-start gap-2 rounded-md border-[1.5px] border-dashed border-edge p-[min(1rem,4.5vw)]">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <PickButton
              look={saved ? "line" : "main"}
              icon="film"
              multiple={!saved}
              busy={busy}
              onPick={(files) => void pick(files)}
            >
              {saved ? (ownFile ? "Replace the file" : "Use a file instead") : "Choose a video"}
            </PickButton>
            <p className="text-sm text-muted">
              {saved
                ? "The address, the comments and the likes stay, and captions and chapters as well: please check that they fit. Families see the new file once it is ready."
                : "From this phone or computer, just as the camera made it. It is uploaded while you fill in the rest."}
            </p>
          </div>
          {waiting.map(({ id, file_name }) => (
            <Button
              key={id}
              look="quiet"
              icon="check"
              onClick={() => onUpload(id)}
              className="-ms-2.5 text-start! wrap-anywhere"
            >
              Use {file_name}
            </Button>
          ))}
        </div>
        {refusals}
      </div>
      {ownFile ? (
        <Button look="quiet" icon="link" onClick={() => setLinked(true)} className="-ms-2.5 justify-self-start">
          Use a link instead
        </Button>
      ) : (
        <LinkField
          {...(label ? { label } : {})}
          value={url}
          onChange={onUrl}
          error={errors.video_url}
          {...(saved ? { saved } : {})}
          onTried={onTried}
        />
      )}
    </div>
  );
}
