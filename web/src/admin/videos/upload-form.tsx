import { useEffect, useRef, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { siteQuery, useSite } from "../../api/queries";
import { text } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Checkbox, Field, FormMessage, Select, TextArea, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { nineInTheMorning, publicationYear, reachOf, wallTime } from "./form-values";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { MailTime } from "../shared/quiet-time";
import { invalidUrl, looksLikeLink } from "./link-field";
import { countsQuery, createVideo, useVideosChanged, type VideoStatus } from "./queries";
import { noMoment, ScheduleFields } from "./schedule-fields";
import { TriedNotice, type Tried } from "./try-video";
import { usePageForm } from "../shared/form";
import { useLiveUploads } from "./uploads/live-upload";
import { SourceField } from "./uploads/source-field";
import { savedReport, uploadLabel } from "./words";

const shortTitle = "Title must be at least 2 characters.";

type Props = {
  open: boolean;
  /** The id of the upload chosen for this video. */
  file: string | null;
  onFile: (id: string | null) => void;
  onDone: () => void;
  onCancel: () => void;
};

/** Asks for the current date in camp when the form opens, because the staff area may have been open since yesterday. */
function useAskForDay(open: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (open) void client.invalidateQueries({ queryKey: siteQuery.queryKey });
  }, [client, open]);
}

const sheet = "sheet mb-6 px-[min(1.25rem,6.25vw)] py-5 shadow-low sm:p-6";

/** Adds a report from a file or a link. While collapsed, the form keeps what was typed. */
export function UploadForm({ open, file, onFile, onDone, onCancel }: Props) {
  const site = useSite();
  const timeZone = site?.timezone ?? "UTC";
  const counts = useQuery(countsQuery).data;
  const videosChanged = useVideosChanged();
  const keyOf = useIdempotencyKey();
  const title = useRef<HTMLInputElement>(null);
  const [url, setUrl] = useState("");
  const [tried, setTried] = useState<Tried | null>(null);
  const [day, setDay] = useState<string | null>(null);
  const [status, setStatus] = useState<VideoStatus>("published");
  const [date, setDate] = useState("");
  const [time, setTime] = useState(nineInTheMorning);

  useAskForDay(open);
  useEffect(() => {
    if (open) title.current?.focus();
  }, [open]);

  const uploadDate = day ?? site?.today ?? "";
  const reach = reachOf(null, uploadDate, publicationYear(status, date, site), counts?.recipients ?? 0);

  const chosen = useLiveUploads().find(({ id }) => id === file);
  const waits = file !== null && chosen?.state !== "ready";

  const { busy, errors, message, form } = usePageForm({
    check: (data) => ({
      ...(text(data, "title").trim().length < 2 ? { title: shortTitle } : {}),
      ...(file || looksLikeLink(url) ? {} : { video_url: invalidUrl }),
      ...(status === "scheduled" && !date ? { scheduled_date: noMoment } : {}),
    }),
    submit: (data) => {
      const video = {
        title: text(data, "title").trim(),
        ...(file ? { upload_id: file } : { video_url: url.trim() }),
        description: text(data, "description").trim() || null,
        ...(uploadDate ? { upload_date: uploadDate } : {}),
        status,
        ...(status === "scheduled" ? { scheduled_date: wallTime({ date, time }) } : {}),
        is_featured: data.has("is_featured"),
      };
      return createVideo(keyOf(video), video);
    },
    done: async (saved) => {
      const isSending = file !== null && chosen?.state === "uploading";
      toast({ title: "Success", description: savedReport(saved, isSending, timeZone) });
      onDone();
      await videosChanged();
    },
    failed: (error) => toastFailure(error, "Failed to upload video"),
  });

  return (
    <section aria-labelledby="upload" hidden={!open} className={sheet}>
      <h2 id="upload" className="mb-4 text-xl">
        New report
      </h2>
      <form {...form} className="grid gap-5">
        <Field label="Title" error={errors.title}>
          <TextInput ref={title} name="title" dir="auto" maxLength={200} autoComplete="off" required />
        </Field>
        <SourceField
          open={open}
          upload={file}
          onUpload={onFile}
          url={url}
          onUrl={setUrl}
          errors={errors}
          onTried={setTried}
        />
        <Field label="Description" optional error={errors.description}>
          <TextArea name="description" dir="auto" rows={3} maxLength={5_000} />
        </Field>
        <div className="grid items-start gap-5 sm:grid-cols-2">
          <Field label="Upload Date" error={errors.upload_date} hint="The day it was filmed.">
            <TextInput
              name="upload_date"
              type="date"
              max={site?.today}
              value={uploadDate}
              onChange={(event) => setDay(event.target.value)}
              required
            />
          </Field>
          <StatusField status={status} error={errors.status} onChange={setStatus} />
        </div>
        {status === "scheduled" && (
          <ScheduleFields date={date} time={time} onDate={setDate} onTime={setTime} error={errors.scheduled_date} />
        )}
        <Checkbox name="is_featured" label="Is Featured" hint="It is first on the home page for a week." />
        {!file && <TriedNotice tried={tried} url={url} />}
        {reach > 0 && <PublicationMailTime status={status} date={date} time={time} />}
        <FormMessage>{message}</FormMessage>
        <Buttons busy={busy} onCancel={onCancel}>
          {uploadLabel(status, reach, waits)}
        </Buttons>
      </form>
    </section>
  );
}

type PublicationProps = { status: VideoStatus; date: string; time: string };

/** When the emails go out, once the publication time is known. */
function PublicationMailTime({ status, date, time }: PublicationProps) {
  if (status === "draft" || (status === "scheduled" && !date)) return null;
  return <MailTime at={status === "scheduled" ? wallTime({ date, time }) : undefined} />;
}

type StatusProps = { status: VideoStatus; error: string | undefined; onChange: (status: VideoStatus) => void };

const StatusField = ({ status, error, onChange }: StatusProps) => (
  <Field label="Status" error={error}>
    <Select name="status" value={status} onChange={(event) => onChange(event.target.value as VideoStatus)}>
      <option value="published">Published</option>
      <option value="scheduled">Scheduled</option>
      <option value="draft">Draft</option>
    </Select>
  </Field>
);

const Buttons = ({ busy, onCancel, children }: { busy: boolean; onCancel: () => void; children: string }) => (
  <div className="flex flex-wrap justify-end gap-3 max-sm:flex-col-reverse">
    <Button look="line" onClick={onCancel}>
      Cancel
    </Button>
    <Button type="submit" busy={busy}>
      {busy ? "Uploading..." : children}
    </Button>
  </div>
);
