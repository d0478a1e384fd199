const locale = "en-US";
const whole = { month: "long", day: "numeric", year: "numeric" } as const;
const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);

/** "Wednesday, July 29, 2026" for a plain date, which has no time zone to be moved by. */
export function longDate(date: string) {
  return plain(date, { ...whole, weekday: "long" });
}

/** "Wed, Jul 29" this year, "Jul 29, 2024" of another. */
export const cardDate = (date: string, currentYear: number) =>
  date.startsWith(String(currentYear))
    ? plain(date, { weekday: "short", month: "short", day: "numeric" })
    : shortDate(date);

/** "July 29, 2026". */
export function fullDate(date: string) {
  return plain(date, whole);
}

export function shortDate(date: string) {
  return plain(date, { month: "short", day: "numeric", year: "numeric" });
}

function plain(date: string, options: Intl.DateTimeFormatOptions) {
  return dates({ ...options, timeZone: "UTC" }).format(new Date(`${date}T12:00:00Z`));
}

/** "8:41 PM" in the camp's zone. */
export function campTime(moment: string, timeZone: string) {
  return dates({ hour: "numeric", minute: "2-digit", timeZone }).format(new Date(moment));
}

/** The camp's zone, such as " EDT", to say after a time; nothing where the reader's clock shows the same time. */
export function campZone(moment: string, timeZone: string) {
  const at = new Date(moment);
  const parts = (options: Intl.DateTimeFormatOptions) =>
    dates({ day: "numeric", hour: "numeric", minute: "numeric", ...options }).formatToParts(at);
  const [camp, reader] = [{ timeZone }, {}].map((zone) => JSON.stringify(parts(zone)));
  if (camp === reader) return "";
  return ` ${parts({ timeZone, timeZoneName: "short" }).at(-1)?.value}`;
}

/** "July 29, 2026, 8:41 PM" in the camp's zone. */
export function campDateTime(moment: string, timeZone: string) {
  return `${campDate(moment, timeZone)}, ${campTime(moment, timeZone)}`;
}

export function campDate(moment: string, timeZone: string) {
  return dates({ ...whole, timeZone }).format(new Date(moment));
}

/** A moment as the camp's wall clock shows it, for date and time inputs. */
export function campLocal(moment: string, timeZone: string): { date: string; time: string } {
  const parts = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).formatToParts(new Date(moment));
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? "";
  return { date: `${part("year")}-${part("month")}-${part("day")}`, time: `${part("hour")}:${part("minute")}` };
}

export const isToday = (moment: string, timeZone: string, now = new Date()) =>
  campLocal(moment, timeZone).date === campLocal(now.toISOString(), timeZone).date;

/** "Just now", then minutes, hours and days; from the seventh day on, the date. */
export function ago(moment: string, timeZone: string, now = new Date()) {
  return daysSince(moment, now) < 7 ? age(moment, now) : campDate(moment, timeZone);
}

/** "Just now", then minutes, hours and days, however many. */
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

/** "1 comment", "12 comments". */
export function count(n: number, one: string, many = `${one}s`) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

export const number = (n: number) => new Intl.NumberFormat(locale).format(n);

/** Integer cents as money: whole amounts without cents. */
export function money(cents: number, currency = "USD") {
  const fraction = cents % 100 === 0 ? 0 : 2;
  const options = {
    style: "currency",
    currency,
    minimumFractionDigits: fraction,
    maximumFractionDigits: fraction,
  } as const;
  return new Intl.NumberFormat(locale, options).format(cents / 100);
}

/** "6:12", or "1:02:07". */
export function duration(seconds: number) {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** First letters of up to two words, else U. */
export function initials(name: string) {
  const words = name.trim().split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => [...word][0]?.toLocaleUpperCase(locale)).join("") || "U";
}
