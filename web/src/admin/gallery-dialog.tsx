import { useState } from "react";
import { isApiError, type AdminVideo } from "../api/client";
import { explain, text, useForm } from "../lib/forms";
import { campLocal } from "../lib/format";
import { Button } from "../ui/button";
import { ConfirmDialog, Dialog } from "../ui/dialog";
import { Field, FormMessage, Select, TextArea, TextInput } from "../ui/field";
import { toast } from "../ui/toast";
import { nineInTheMorning, wallTime } from "./draft";
import { invalidUrl, LinkField, looksLikeLink } from "./link-field";
import { createGalleryVideo, editVideo, readVideo, useVideosChanged, type VideoPatch, type VideoStatus } from "./queries";
import { noMoment, ScheduleFields } from "./schedule-fields";
import { isTurnedAway } from "./session";
import { takesFocus } from "./takes-focus";

type Props = { video: AdminVideo | null; currentYear: number; timeZone: string; onClose: () => void };

/** The ten years ending last year, last year first; and the video's own, should it be older. */
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

/** Adds a video of an earlier summer, or changes one. */
export function GalleryDialog({ video: opened, currentYear, timeZone, onClose }: Props) {
  const videosChanged = useVideosChanged();
  const [video, setVideo] = useState(opened);
  const before = video?.scheduled_date ? campLocal(video.scheduled_date, timeZone) : { date: "", time: nineInTheMorning };
  const [url, setUrl] = useState(video?.video_url ?? "");
  const [status, setStatus] = useState<VideoStatus>(video?.status ?? "published");
  const [date, setDate] = useState(before.date);
  const [time, setTime] = useState(before.time);
  const [stale, setStale] = useState(false);
  const [reloading, setReloading] = useState(false);
  const [asking, setAsking] = useState<FormData | null>(null);
  const [typed, setTyped] = useState(false);
  const [discarding, setDiscarding] = useState(false);
  const close = () => (typed ? setDiscarding(true) : onClose());

  const takesAway = video?.status === "published" && status !== "published";

  async function save(data: FormData) {
    const scheduled = status === "scheduled" ? { scheduled_date: wallTime({ date, time }) } : {};
    const fields = { title: text(data, "title").trim(), description: text(data, "description").trim() || null };
    const year = Number(text(data, "year"));
    if (video) {
      const moved = status !== video.status || (status === "scheduled" && wallTime({ date, time }) !== wallTime(before));
      const patch: VideoPatch = {
        version: video.version,
        ...(fields.title !== video.title ? { title: fields.title } : {}),
        ...(fields.description !== (video.description ?? null) ? { description: fields.description } : {}),
        ...(url.trim() !== video.video_url ? { video_url: url.trim() } : {}),
        ...(year !== video.year ? { upload_date: dayInYear(video.upload_date, year) } : {}),
        ...(moved ? { status, ...scheduled } : {}),
      };
      await editVideo(video.id, patch);
    } else {
      await createGalleryVideo({ ...fields, year, video_url: url.trim(), status, ...scheduled });
    }
    toast({ title: "Success", description: video ? "Gallery video updated successfully!" : "Gallery video uploaded successfully!" });
    onClose();
    void videosChanged();
  }

  function refused(error: unknown) {
    if (isTurnedAway(error)) return true;
    if (isApiError(error, "stale")) {
      setStale(true);
      return true;
    }
    toast({ title: "Error", description: video ? "Failed to update gallery video" : "Failed to save gallery video", destructive: true });
    return false;
  }

  const { busy, errors, message, form } = useForm({
    check: (data) => ({
      ...(text(data, "title").trim() ? {} : { title: "Title is required" }),
      ...(text(data, "year") ? {} : { year: "Please choose a year." }),
      ...(looksLikeLink(url) ? {} : { video_url: invalidUrl }),
      ...(status === "scheduled" && !date ? { scheduled_date: noMoment } : {}),
    }),
    submit: async (data) => {
      // Taking away what families can see is asked about first.
      if (takesAway) setAsking(data);
      else await save(data);
    },
    failed: refused,
  });

  /** Only the version is taken over: what stands in the form is what shall be. */
  async function reload() {
    if (!video) return;
    setReloading(true);
    try {
      const fresh = await readVideo(video);
      if (!fresh) {
        toast({ title: "Error", description: "This video has been deleted in the meantime.", destructive: true });
        void videosChanged();
        return onClose();
      }
      setVideo(fresh);
      setStale(false);
      toast({ title: "Reloaded", description: "What you typed is still here. Save again to keep it." });
    } catch (error) {
      toast({ title: "Error", description: explain(error), destructive: true });
    } finally {
      setReloading(false);
    }
  }

  return (
    <Dialog title={opened ? "Edit Gallery Video" : "Add Gallery Video"} onClose={close} className="sm:w-[min(100%-2rem,40rem)]!">
      <form
        {...form}
        onInput={(event) => {
          setTyped(true);
          form.onInput(event);
        }}
        className="grid gap-4"
      >
        {stale && (
          <div role="alert" className="grid gap-3 rounded-md bg-amber-wash px-3.5 py-3 text-amber-text">
            <p>Somebody else changed this video in the meantime. Nothing was saved. Reload it: what you typed stays.</p>
            <Button look="line" icon="refresh" ref={takesFocus} busy={reloading} onClick={() => void reload()} className="justify-self-start">Reload and keep what I typed</Button>
          </div>
        )}
        <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
          <Field label="Video Title" error={errors.title}>
            <TextInput name="title" dir="auto" maxLength={200} autoComplete="off" ref={takesFocus} defaultValue={video?.title} required />
          </Field>
          <Field label="Camp Year" error={errors.year ?? errors.upload_date}>
            <Select name="year" defaultValue={video?.year ?? currentYear - 1} required>
              {campYears(currentYear, video?.year).map((year) => <option key={year}>{year}</option>)}
            </Select>
          </Field>
        </div>
        <Field label="Description" optional error={errors.description}>
          <TextArea name="description" dir="auto" rows={3} maxLength={5_000} defaultValue={video?.description ?? undefined} />
        </Field>
        <LinkField label="Google Drive Video URL" value={url} onChange={setUrl} error={errors.video_url} {...(video ? { saved: video } : {})} />
        <Field label="Status" error={errors.status} hint="Videos of earlier summers are not mailed to families.">
          <Select name="status" value={status} onChange={(event) => setStatus(event.target.value as VideoStatus)}>
            <option value="published">Published</option>
            <option value="scheduled">Scheduled</option>
            <option value="draft">Draft</option>
          </Select>
        </Field>
        {status === "scheduled" && <ScheduleFields date={date} time={time} onDate={setDate} onTime={setTime} error={errors.scheduled_date} />}
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={close}>Cancel</Button>
          <Button type="submit" busy={busy}>{busy ? "Saving..." : saveLabel(video?.status, status)}</Button>
        </div>
      </form>
      {discarding && (
        <ConfirmDialog title="Discard what you typed?" name={video?.title ?? "A new gallery video"} action="Discard" onConfirm={onClose} onClose={() => setDiscarding(false)}>
          It has not been saved.
        </ConfirmDialog>
      )}
      {asking && (
        <ConfirmDialog
          title={status === "scheduled" ? "Schedule a published video?" : "Set a published video back to draft?"}
          name={video?.title}
          action={status === "scheduled" ? "Schedule it" : "Set back to draft"}
          onClose={() => setAsking(null)}
          onConfirm={async () => {
            try {
              await save(asking);
            } catch (error) {
              if (!refused(error)) throw error;
            }
          }}
        >
          Families can watch it now. It disappears until {status === "scheduled" ? "the chosen time" : "it is published again"}.
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

function saveLabel(before: VideoStatus | undefined, after: VideoStatus) {
  if (before === after) return "Update Video";
  if (after === "scheduled") return "Schedule";
  if (after === "draft") return before === "published" ? "Set back to draft" : "Save draft";
  return before ? "Publish" : "Add to Gallery";
}
