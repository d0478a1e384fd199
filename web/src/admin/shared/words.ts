import { campLocal, campTime, count } from "../../lib/format";
import type { VideoStatus, VideoType } from "../videos/queries";

export const statusName: Record<VideoStatus, string> = { published: "Published", scheduled: "Scheduled", draft: "Draft" };
export const providerName: Record<VideoType, string> = { google_drive: "Google Drive", youtube: "YouTube", upload: "Media file" };

export const people = (n: number) => count(n, "person", "people");

/** "Tomorrow, 8:30 PM", "Sunday, Nov 22, 8:30 PM", in the camp's zone. */
export function scheduleTime(moment: string, timeZone: string, now = new Date()) {
  const day = campLocal(moment, timeZone).date;
  const today = campLocal(now.toISOString(), timeZone).date;
  return `${dayName(day, today)}, ${campTime(moment, timeZone).replace(" ", "\u00a0")}`;
}

function dayName(day: string, today: string) {
  if (day === today) return "Today";
  if (day === dayAfter(today)) return "Tomorrow";
  const year = day.slice(0, 4) === today.slice(0, 4) ? {} : ({ year: "numeric" } as const);
  const options = { weekday: "long", month: "short", day: "numeric", ...year, timeZone: "UTC" } as const;
  return new Intl.DateTimeFormat("en-US", options).format(noon(day));
}

const noon = (day: string) => new Date(`${day}T12:00:00Z`);

export function dayAfter(day: string) {
  const next = noon(day);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** "Eastern Time", as people say it. */
export function zoneName(timeZone: string) {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longGeneric" }).formatToParts(new Date());
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

/** The label of the button that saves a new video. */
export function uploadLabel(status: VideoStatus, reach: number) {
  if (status === "draft") return "Save draft";
  if (status === "scheduled") return "Schedule";
  return reach > 0 ? `Publish and notify ${people(reach)}` : "Publish";
}

/** Adds the wording of decision M5 when mails were queued. */
export const withNotifications = (sentence: string, notified: number) => (notified > 0 ? `${sentence} and notifications sent!` : sentence);
