import type { components } from "../../api/schema.gen";
import { campLocal, campTime, count, number } from "../../lib/format";

export const people = (n: number) => count(n, "person", "people");

/** "Tomorrow, 8:30 PM" or "Sunday, Nov 22, 8:30 PM", in the camp's time zone. */
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

function dayAfter(day: string) {
  const next = noon(day);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** "Eastern Time", as people say it. */
export function zoneName(timeZone: string) {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longGeneric" }).formatToParts(new Date());
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}

/** "3 queued, 2 for the daily email, 210 sent, 1 failed". */
export function deliverySummary({
  queued,
  collected,
  sent,
  failed,
}: Omit<components["schemas"]["Deliveries"], "suppressed">) {
  const parts = [
    queued > 0 && `${number(queued)} queued`,
    collected > 0 && `${number(collected)} for the daily email`,
    (sent > 0 || (queued === 0 && collected === 0 && failed === 0)) && `${number(sent)} sent`,
    failed > 0 && `${number(failed)} failed`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** What happened to failed emails that were sent again. */
export const sentAgain = (queued: number) =>
  queued > 0
    ? `${number(queued)} ${queued === 1 ? "email" : "emails"} on the way again`
    : "Nothing was left to send: someone else already sent them, or these addresses refuse our emails or no longer get this kind";
