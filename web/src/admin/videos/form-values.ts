import type { AdminVideo, Site } from "../../api/client";
import { campLocal } from "../../lib/format";
import { fileDetailChanges, fileDetailsOf, type FileDetails } from "./file-details";
import type { VideoPatch, VideoStatus } from "./queries";
import { threeWay } from "../shared/form";
import { people } from "../shared/words";

/** The values of the edit form. */
export type FormValues = FileDetails & {
  title: string;
  description: string;
  video_url: string;
  /** A file that replaces what families watch now. */
  upload_id: string | null;
  upload_date: string;
  is_featured: boolean;
  publish: boolean;
  date: string;
  time: string;
};

export const nineInTheMorning = "09:00";

export function valuesOf(video: AdminVideo, timeZone: string): FormValues {
  const waits = video.publishes_when_ready;
  const at = video.scheduled_date ? campLocal(video.scheduled_date, timeZone) : { date: "", time: "" };
  return {
    title: video.title,
    description: video.description ?? "",
    video_url: video.video_url,
    upload_id: null,
    upload_date: video.upload_date,
    is_featured: video.is_featured,
    ...fileDetailsOf(video),
    publish: (video.status === "published" && !video.scheduled_date) || waits,
    ...(waits ? { date: "", time: "" } : at),
  };
}

/** The status that the form results in: published by the switch, scheduled by a date, or else a draft. */
export const statusOf = (values: FormValues): VideoStatus =>
  values.publish ? "published" : values.date ? "scheduled" : "draft";

export const wallTime = ({ date, time }: { date: string; time: string }) => `${date}T${time || nineInTheMorning}`;

/** Only the changed values. A status that nobody touched is not sent, so it stays (decision V3). */
export function changesOf(values: FormValues, video: AdminVideo, timeZone: string): Omit<VideoPatch, "version"> {
  const before = valuesOf(video, timeZone);
  const status = statusOf(values);
  const untouched = video.publishes_when_ready ? "published" : video.status;
  const moved = status === "scheduled" && wallTime(values) !== wallTime(before);
  return {
    ...(values.title.trim() !== before.title ? { title: values.title.trim() } : {}),
    ...(values.description.trim() !== before.description ? { description: values.description.trim() || null } : {}),
    ...(values.upload_id
      ? { upload_id: values.upload_id }
      : values.video_url.trim() !== before.video_url
        ? { video_url: values.video_url.trim() }
        : {}),
    ...(values.upload_date !== before.upload_date ? { upload_date: values.upload_date } : {}),
    ...(values.is_featured !== before.is_featured ? { is_featured: values.is_featured } : {}),
    ...fileDetailChanges(values, before),
    ...(status !== untouched || moved ? { status } : {}),
    ...(status === "scheduled" && (status !== untouched || moved) ? { scheduled_date: wallTime(values) } : {}),
  };
}

/**
 * Merges with the version that somebody else saved. Keeps what the user typed, and takes the rest from the new version.
 */
export function merge(mine: FormValues, base: FormValues, fresh: FormValues): FormValues {
  // The switch and the date belong together, so a change to either one keeps both.
  const touched = mine.publish !== base.publish || mine.date !== base.date || mine.time !== base.time;
  const { publish, date, time } = touched ? mine : fresh;
  return { ...threeWay(mine, base, fresh), publish, date, time };
}

/**
 * How many addresses get an email if the video is published, which happens only in its own year. The first time,
 * everybody does. Later, only those who had not received the email when the video was unpublished.
 */
export function reachOf(
  video: Pick<AdminVideo, "announced" | "recipients"> | null,
  uploadDate: string,
  publicationYear: number,
  recipients: number,
) {
  if (Number(uploadDate.slice(0, 4)) !== publicationYear) return 0;
  return video?.announced ? (video.recipients ?? 0) : recipients;
}

/** The year in which a video becomes public. Families are told only about videos of that year. */
export const publicationYear = (status: VideoStatus, date: string, site: Site | undefined) =>
  status === "scheduled" && date ? Number(date.slice(0, 4)) : (site?.current_year ?? 0);

/** The label of the button that saves the form. */
export function updateLabel(before: VideoStatus, after: VideoStatus, reach: number) {
  if (before === after) return "Update Video";
  if (after === "draft") return "Update Video and set back to draft";
  if (after === "scheduled") return "Update Video and schedule";
  return reach > 0 ? `Update Video and notify ${people(reach)}` : "Update Video and publish";
}
