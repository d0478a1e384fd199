import type { AdminVideo } from "../../api/client";
import { people, scheduleTime } from "../shared/words";
import type { VideoStatus, VideoType } from "./queries";

export const statusName: Record<VideoStatus, string> = {
  published: "Published",
  scheduled: "Scheduled",
  draft: "Draft",
};
export const providerName: Record<VideoType, string> = {
  google_drive: "Google Drive",
  youtube: "YouTube",
  upload: "Media file",
};

/** The label of the button that saves a new video. `waits`: its file cannot be watched yet. */
export function uploadLabel(status: VideoStatus, reach: number, waits = false) {
  if (status === "draft") return "Save draft";
  if (status === "scheduled") return "Schedule";
  const publish = waits ? "Publish when it is ready" : "Publish";
  return reach > 0 ? `${publish} and notify ${people(reach)}` : publish;
}

/** Adds the wording of decision M5 when mails were queued. */
export const withNotifications = (sentence: string, notified: number) =>
  notified > 0 ? `${sentence} and notifications sent!` : sentence;

/** Adds when a scheduled video appears, in the camp's zone: "Video updated successfully. It appears tomorrow, 8:30 PM." */
export function withSchedule(sentence: string, video: AdminVideo, timeZone: string) {
  if (video.publishes_when_ready) return `${sentence}. Families see it as soon as its file is ready.`;
  return video.status === "scheduled" && video.scheduled_date
    ? `${sentence}. It appears ${lowerFirst(scheduleTime(video.scheduled_date, timeZone))}.`
    : sentence;
}

/** "Today" and "Tomorrow" begin no sentence here; names of days stay as they are. */
const lowerFirst = (text: string) => text.replace(/^To(?=day|morrow)/, "to");
