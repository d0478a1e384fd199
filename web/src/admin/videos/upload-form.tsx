import { useEffect, useRef, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { text } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Checkbox, Field, FormMessage, Select, TextArea, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { nineInTheMorning, reachOf, wallTime } from "./form-values";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { invalidUrl, LinkField, looksLikeLink } from "./link-field";
import { countsQuery, createVideo, useVideosChanged, type VideoStatus } from "./queries";
import { noMoment, ScheduleFields } from "./schedule-fields";
import { TriedNotice, type Tried } from "./try-video";
import { usePageForm } from "../shared/form";
import { uploadLabel, withNotifications, withSchedule } from "./words";

export const shortTitle = "Title must be at least 2 characters.";

type Props = { open: boolean; onDone: () => void; onCancel: () => void };

/** Adds a report by its link. Collapsed it keeps what was typed. */
export function UploadForm({ open, onDone, onCancel }: Props) {
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

  useEffect(() => {
    if (open) title.current?.focus();
  }, [open]);

  const uploadDate = day ?? site?.today ?? "";
  const reach = reachOf(null, uploadDate, site?.current_year ?? 0, counts?.recipients ?? 0);

  const { busy, errors, message, form } = usePageForm({
    check: (data) => ({
      ...(text(data, "title").trim().length < 2 ? { title: shortTitle } : {}),
      ...(looksLikeLink(url) ? {} : { video_url: invalidUrl }),
      ...(status === "scheduled" && !date ? { scheduled_date: noMoment } : {}),
    }),
    submit: (data) => {
      const video = {
        title: text(data, "title").trim(),
        video_url: url.trim(),
        description: text(data, "description").trim() || null,
        ...(day ? { upload_date: day } : {}),
        status,
        ...(status === "scheduled" ? { scheduled_date: wallTime({ date, time }) } : {}),
        is_featured: data.has("is_featured"),
      };
      return createVideo(keyOf(video), video);
    },
    done: async ({ video, notified }) => {
      toast({
        title: "Success",
        description: withNotifications(withSchedule("Video uploaded successfully", video, timeZone), notified),
      });
      onDone();
      await videosChanged();
    },
    failed: (error) => toastFailure(error, "Failed to upload video"),
  });

  return (
    <section aria-labelledby="upload" hidden={!open} className="sheet mb-6 p-5 shadow-low sm:p-6">
      <h2 id="upload" className="mb-4 text-xl">
        New report
      </h2>
      <form {...form} className="grid gap-5">
        <Field label="Title" error={errors.title}>
          <TextInput ref={title} name="title" dir="auto" maxLength={200} autoComplete="off" required />
        </Field>
        <LinkField value={url} onChange={setUrl} error={errors.video_url} onTried={setTried} />
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
          <Field label="Status" error={errors.status}>
            <Select name="status" value={status} onChange={(event) => setStatus(event.target.value as VideoStatus)}>
              <option value="published">Published</option>
              <option value="scheduled">Scheduled</option>
              <option value="draft">Draft</option>
            </Select>
          </Field>
        </div>
        {status === "scheduled" && (
          <ScheduleFields date={date} time={time} onDate={setDate} onTime={setTime} error={errors.scheduled_date} />
        )}
        <Checkbox name="is_featured" label="Is Featured" hint="It is first on the home page for a week." />
        <TriedNotice tried={tried} url={url} />
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3 max-sm:flex-col-reverse">
          <Button look="line" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Uploading..." : uploadLabel(status, reach)}
          </Button>
        </div>
      </form>
    </section>
  );
}
