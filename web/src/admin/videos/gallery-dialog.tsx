import { useState } from "react";
import { isApiError, type AdminVideo } from "../../api/client";
import { explainOr } from "../../lib/forms";
import { campLocal } from "../../lib/format";
import { Dialog } from "../../ui/dialog";
import { Field, FormMessage, Select } from "../../ui/field";
import { errorToast, toast } from "../../ui/toast";
import { nineInTheMorning, wallTime } from "./form-values";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { fileDetailChanges, fileDetailsOf, FileDetailsFields } from "./file-details";
import { invalidUrl, looksLikeLink } from "./link-field";
import {
  createGalleryVideo,
  editVideo,
  readVideo,
  useVideosChanged,
  type VideoPatch,
  type VideoStatus,
} from "./queries";
import { noMoment, ScheduleFields } from "./schedule-fields";
import { TriedNotice, type Tried } from "./try-video";
import { useLiveUploads } from "./uploads/live-upload";
import { useReadyFile } from "./uploads/ready-file";
import { SourceField } from "./uploads/source-field";
import { FormButtons } from "../shared/form-buttons";
import { changed, StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { DescriptionField, TitleField } from "./video-fields";
import { UnpublishQuestion } from "./unpublish-question";

type Props = {
  video: AdminVideo | null;
  /** An upload that was dropped on the page, for a new video. */
  file?: string | null;
  currentYear: number;
  timeZone: string;
  onClose: () => void;
};

/** The ten years ending last year, newest first, and the video's own year if it is older. */
export function campYears(currentYear: number, own?: number) {
  const years = Array.from({ length: 10 }, (_, i) => currentYear - 1 - i);
  return own === undefined || years.includes(own) ? years : [...years, own].toSorted((a, b) => b - a);
}

/** The same day in another summer. */
export function dayInYear(day: string, year: number) {
  const rest = day.slice(4);
  const leap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  return `${year}${rest === "-02-29" && !leap ? "-02-28" : rest}`;
}

const valuesOf = (video: AdminVideo | null, currentYear: number, timeZone: string) => ({
  title: video?.title ?? "",
  description: video?.description ?? "",
  year: String(video?.year ?? currentYear - 1),
  video_url: video?.video_url ?? "",
  upload_id: null as string | null,
  ...fileDetailsOf(video),
  status: video?.status ?? ("published" as VideoStatus),
  ...(video?.scheduled_date ? campLocal(video.scheduled_date, timeZone) : { date: "", time: nineInTheMorning }),
});

type FormValues = ReturnType<typeof valuesOf>;

const fieldsOf = (values: FormValues) => ({
  title: values.title.trim(),
  description: values.description.trim() || null,
});
const sourceOf = (values: FormValues) =>
  values.upload_id ? { upload_id: values.upload_id } : { video_url: values.video_url.trim() };
const scheduleOf = (values: FormValues) => (values.status === "scheduled" ? { scheduled_date: wallTime(values) } : {});

const newVideoOf = (values: FormValues) => ({
  ...fieldsOf(values),
  ...sourceOf(values),
  year: Number(values.year),
  status: values.status,
  ...scheduleOf(values),
});

/** Only the changed values. */
function changesOf(values: FormValues, base: FormValues, video: AdminVideo): Omit<VideoPatch, "version"> {
  const mine = changed(values, base);
  const fields = fieldsOf(values);
  const moved = "status" in mine || (values.status === "scheduled" && wallTime(values) !== wallTime(base));
  return {
    ...("title" in mine ? { title: fields.title } : {}),
    ...("description" in mine ? { description: fields.description } : {}),
    ...("video_url" in mine || "upload_id" in mine ? sourceOf(values) : {}),
    ...("year" in mine ? { upload_date: dayInYear(video.upload_date, Number(values.year)) } : {}),
    ...fileDetailChanges(values, base),
    ...(moved ? { status: values.status, ...scheduleOf(values) } : {}),
  };
}

/** What is typed, and how it is saved. */
function useGalleryForm({ video: opened, file = null, currentYear, timeZone, onClose }: Props) {
  const videosChanged = useVideosChanged();
  const keyOf = useIdempotencyKey();
  const [asking, setAsking] = useState(false);
  const edited = useFormValues({
    opened,
    valuesOf: (one) => valuesOf(one, currentYear, timeZone),
    begun: file ? { upload_id: file } : {},
    read: readVideo,
    onGone: videosChanged,
  });
  const { row: video, values, base } = edited;
  useReadyFile(video, edited.refresh);
  const { status, date } = values;
  const takesAway = video?.status === "published" && status !== "published";

  async function save() {
    if (video) await editVideo(video.id, { version: video.version, ...changesOf(values, base, video) });
    else await createGalleryVideo(keyOf(newVideoOf(values)), newVideoOf(values));
    toast({
      title: "Success",
      description: video ? "Gallery video updated successfully!" : "Gallery video uploaded successfully!",
    });
    // Refetches before closing, so that reopening the dialog at once shows what was saved.
    await videosChanged();
    onClose();
  }

  const state = useStaffForm({
    values: edited,
    leave: { name: video?.title ?? "A new gallery video", onClose },
    check: () => ({
      ...(values.title.trim() ? {} : { title: "Title is required" }),
      ...(values.year ? {} : { year: "Please choose a year." }),
      ...(values.upload_id || looksLikeLink(values.video_url) ? {} : { video_url: invalidUrl }),
      ...(status === "scheduled" && !date ? { scheduled_date: noMoment } : {}),
    }),
    submit: async () => {
      // Asks first if families would lose a video that they can watch now.
      if (takesAway) setAsking(true);
      else await save();
    },
    failed: (error) => {
      const words = video ? "Failed to update gallery video" : "Failed to save gallery video";
      const reason = explainOr(error, "");
      errorToast(reason ? `${words}: ${reason}` : words);
      if (isApiError(error, "not_found")) void videosChanged();
    },
  });
  const unpublishing = asking && (
    <UnpublishQuestion
      name={video?.title}
      status={status}
      save={save}
      refused={state.refused}
      onClose={() => setAsking(false)}
    />
  );
  return { ...state, ...edited, unpublishing };
}

/** Adds a video from an earlier summer, or edits one. */
export function GalleryDialog(props: Props) {
  const { video: opened, currentYear } = props;
  const [tried, setTried] = useState<Tried | null>(null);
  const { row: video, savedPart, values, set, dirty, stale, reload, ...state } = useGalleryForm(props);
  const { busy, errors, message, form, close, question, unpublishing } = state;
  const { status, date, time } = values;
  const chosen = useLiveUploads().find(({ id }) => id === values.upload_id);
  const waits = values.upload_id !== null && chosen?.state !== "ready";

  return (
    <Dialog
      title={opened ? "Edit Gallery Video" : "Add Gallery Video"}
      onClose={close}
      className="sm:w-[min(100%-2rem,40rem)]!"
    >
      <form {...form} className="grid gap-4">
        <StaleFormNotice what="video" stale={stale} onReload={reload} />
        <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
          <TitleField title={values.title} error={errors.title} onChange={(title) => set({ title })} />
          <Field label="Camp Year" error={errors.year ?? errors.upload_date}>
            <Select name="year" value={values.year} onChange={(event) => set({ year: event.target.value })} required>
              {campYears(currentYear, video?.year).map((year) => (
                <option key={year}>{year}</option>
              ))}
            </Select>
          </Field>
        </div>
        <DescriptionField
          description={values.description}
          error={errors.description}
          rows={3}
          onChange={(description) => set({ description })}
        />
        <SourceField
          label="Google Drive Video URL"
          upload={values.upload_id}
          onUpload={(upload_id) => set({ upload_id })}
          url={values.video_url}
          onUrl={(video_url) => set({ video_url })}
          errors={errors}
          {...(video ? { saved: video } : {})}
          onTried={setTried}
        />
        {video && (
          <FileDetailsFields
            video={video}
            values={values}
            set={set}
            onPicture={(poster) => savedPart({ poster })}
            errors={errors}
            dirty={dirty}
            onTrimmed={close}
          />
        )}
        <Field label="Status" error={errors.status} hint="Families don’t get emails about videos of past summers.">
          <Select name="status" value={status} onChange={(event) => set({ status: event.target.value as VideoStatus })}>
            <option value="published">Published</option>
            <option value="scheduled">Scheduled</option>
            <option value="draft">Draft</option>
          </Select>
        </Field>
        {status === "scheduled" && (
          <ScheduleFields
            date={date}
            time={time}
            onDate={(day) => set({ date: day })}
            onTime={(at) => set({ time: at })}
            error={errors.scheduled_date}
          />
        )}
        {!values.upload_id && <TriedNotice tried={tried} url={values.video_url} />}
        <FormMessage>{message}</FormMessage>
        <FormButtons onCancel={close} busy={busy}>
          {saveLabel(video?.status, status, waits)}
        </FormButtons>
      </form>
      {question}
      {unpublishing}
    </Dialog>
  );
}

function saveLabel(before: VideoStatus | undefined, after: VideoStatus, waits: boolean) {
  if (before === after) return "Update Video";
  if (after === "scheduled") return "Schedule";
  if (after === "draft") return before === "published" ? "Set back to draft" : "Save draft";
  if (waits && before !== "published") return "Publish when it is ready";
  return before ? "Publish" : "Add to Gallery";
}
