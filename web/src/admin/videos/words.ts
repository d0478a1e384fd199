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

/** The label of the button that saves a new video. */
export function uploadLabel(status: VideoStatus, reach: number) {
  if (status === "draft") return "Save draft";
  if (status === "scheduled") return "Schedule";
  return reach > 0 ? `Publish and notify ${people(reach)}` : "Publish";
}

/** Adds the wording of decision M5 when mails were queued. */
export const withNotifications = (sentence: string, notified: number) =>
  notified > 0 ? `${sentence} and notifications sent!` : sentence;

/** Adds when a scheduled video appears, in the camp's zone: "Video updated successfully. It appears tomorrow, 8:30 PM." */
export const withSchedule = (sentence: string, video: AdminVideo, timeZone: string) =>
  video.status === "scheduled" && video.scheduled_date
    ? `${sentence}. It appears ${lowerFirst(scheduleTime(video.scheduled_date, timeZone))}.`
    : sentence;

/** "Today" and "Tomorrow" begin no sentence here; names of days stay as they are. */
const lowerFirst = (text: string) => text.replace(/^To(?=day|morrow)/, "to");
