import { campLocal, campTime, count, fullDate } from "./format";

/** "July 29, 2026, 8:41 PM" in the camp's zone. */
export function campDateTime(moment: string, timeZone: string) {
  return `${campDate(moment, timeZone)}, ${campTime(moment, timeZone)}`;
}

export function campDate(moment: string, timeZone: string) {
  return fullDate(campLocal(moment, timeZone).date);
}

/** "Just now", then minutes, hours and days. After seven days, the date. */
export function ago(moment: string, timeZone: string, now = new Date()) {
  return daysSince(moment, now) < 7 ? age(moment, now) : campDate(moment, timeZone);
}

/** "Just now", then minutes, hours and any number of days. */
export function age(moment: string, now = new Date()) {
  const minutes = minutesSince(moment, now);
  if (minutes < 1) return "Just now";
  if (minutes < 60) return `${count(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${count(hours, "hour")} ago` : `${count(daysSince(moment, now), "day")} ago`;
}

export const minutesSince = (moment: string, now = new Date()) =>
  Math.floor((now.getTime() - new Date(moment).getTime()) / 60_000);

const daysSince = (moment: string, now: Date) => Math.floor(minutesSince(moment, now) / (24 * 60));
