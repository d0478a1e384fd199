import type { AdminVideo } from "../../api/client";
import { lowerFirst, mailsWait } from "../shared/quiet-time";
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

/** The label of the button that saves a new video. `waits` means that its file cannot be watched yet. */
export function uploadLabel(status: VideoStatus, reach: number, waits = false) {
  if (status === "draft") return "Save draft";
  if (status === "scheduled") return "Schedule";
  const publish = waits ? "Publish when it is ready" : "Publish";
  return reach > 0 ? `${publish} and notify ${people(reach)}` : publish;
}

type Notified = { notified: number; mail_at?: string | null };

/** Adds the wording of decision M5 if emails were queued, or says when they go out after quiet time. */
export function withNotifications(sentence: string, { notified, mail_at }: Notified, timeZone: string) {
  const later = mailsWait(mail_at, timeZone);
  if (later) return `${sentence}. ${later}`;
  return notified > 0 ? `${sentence} and notifications sent!` : sentence;
}

/**
 * Adds when a scheduled video appears, in the camp's time zone: "Video updated successfully. It appears tomorrow, 8:30
 * PM."
 */
export function withSchedule(sentence: string, video: AdminVideo, timeZone: string) {
  if (video.publishes_when_ready) return `${sentence}. Families see it as soon as its file is ready.`;
  const at = video.publishes_at ?? video.scheduled_date;
  return video.status === "scheduled" && at
    ? `${sentence}. It appears ${lowerFirst(scheduleTime(at, timeZone))}.`
    : sentence;
}

type SavedReport = Notified & { video: AdminVideo };

/** The toast for a new report. If its file has not arrived yet, the page must stay open. */
export function savedReport(saved: SavedReport, isSending: boolean, timeZone: string) {
  const sentence = isSending ? "Video saved" : "Video uploaded successfully";
  const said = withNotifications(withSchedule(sentence, saved.video, timeZone), saved, timeZone);
  if (!isSending) return said;
  return `${said.replace(/\.$/, "")}. Its file is still uploading: please keep this page open until it has arrived.`;
}
