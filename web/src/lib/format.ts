const locale = "en-US";

// Caches formatters, because a phone needs milliseconds to make one.
const made = new Map<string, unknown>();
function once<Formatter>(make: new (locale: string, options: object) => Formatter, options: object): Formatter {
  const key = make.name + JSON.stringify(options);
  if (!made.has(key)) made.set(key, new make(locale, options));
  return made.get(key) as Formatter;
}
const dates = (options: Intl.DateTimeFormatOptions) => once(Intl.DateTimeFormat, options);
export const numbers = (options: Intl.NumberFormatOptions = {}) => once(Intl.NumberFormat, options);

/** "Wednesday, July 29, 2026" for a plain date. It has no time zone that could shift it. */
export function longDate(date: string) {
  const { day, month, number, year } = plain(date);
  return `${day}, ${month} ${number}, ${year}`;
}

/** "Wed, Jul 29" for this year, "Jul 29, 2024" for other years. */
export const cardDate = (date: string, currentYear: number) =>
  date.startsWith(String(currentYear)) ? shortDay(date) : shortDate(date);

/** "July 29, 2026". */
export function fullDate(date: string) {
  const { month, number, year } = plain(date);
  return `${month} ${number}, ${year}`;
}

export function shortDate(date: string) {
  const { month, number, year } = plain(date);
  return `${month.slice(0, 3)} ${number}, ${year}`;
}

function shortDay(date: string) {
  const { day, month, number } = plain(date);
  return `${day.slice(0, 3)}, ${month.slice(0, 3)} ${number}`;
}

const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");

/** Avoids a formatter, because creating the first one takes a phone longer than the rest of a list. */
function plain(date: string) {
  const at = new Date(`${date}T12:00:00Z`);
  const [day = "", month = ""] = [days[at.getUTCDay()], months[at.getUTCMonth()]];
  return { day, month, number: at.getUTCDate(), year: at.getUTCFullYear() };
}

/** A period in which a time zone is this many minutes ahead of UTC. */
export type UtcOffset = { from: string; until: string; minutes: number; name: string };

let known: { timeZone: string; offsets: UtcOffset[] } | undefined;

/**
 * Makes this zone's times available without a formatter, because creating the first one takes a phone longer than a
 * whole page.
 */
export function setCampZone(timeZone: string, offsets: UtcOffset[]) {
  known = { timeZone, offsets };
}

function offsetOf(at: Date, timeZone: string) {
  if (known?.timeZone !== timeZone) return undefined;
  return known.offsets.find(({ from, until }) => new Date(from) <= at && at < new Date(until));
}

/** The moment as if the camp's zone were UTC, to the minute. */
function wallClock(moment: string, timeZone: string) {
  const at = new Date(moment);
  const offset = offsetOf(at, timeZone);
  if (offset) return new Date(at.getTime() + offset.minutes * 60_000);
  const parts = dates({
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).formatToParts(at);
  const part = (type: string) => parts.find((p) => p.type === type)?.value;
  return new Date(`${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}Z`);
}

/** "8:41 PM" in the camp's zone. */
export function campTime(moment: string, timeZone: string) {
  const wall = wallClock(moment, timeZone);
  const [hour, minute] = [wall.getUTCHours(), wall.getUTCMinutes()];
  return `${hour % 12 || 12}:${two(minute)} ${hour < 12 ? "AM" : "PM"}`;
}

/** The camp's zone to add after a time, such as " EDT". Empty where the reader's clock shows the same time. */
export function campZone(moment: string, timeZone: string) {
  const at = new Date(moment);
  const ahead = Math.ceil((wallClock(moment, timeZone).getTime() - at.getTime()) / 60_000);
  if (ahead === -at.getTimezoneOffset()) return "";
  const name =
    offsetOf(at, timeZone)?.name ?? dates({ timeZone, timeZoneName: "short" }).formatToParts(at).at(-1)?.value;
  return ` ${name}`;
}

/** A moment as the camp's wall clock shows it, for date and time inputs. */
export function campLocal(moment: string, timeZone: string): { date: string; time: string } {
  const wall = wallClock(moment, timeZone).toISOString();
  return { date: wall.slice(0, 10), time: wall.slice(11, 16) };
}

/** "1 comment", "12 comments". */
export function count(n: number, one: string, many = `${one}s`) {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** "1,204". */
export const number = (n: number) =>
  Number.isInteger(n) ? String(n).replace(/\B(?=(\d{3})+$)/g, ",") : numbers().format(n);

/** "6:12", or "1:02:07". Rounded, as the server rounds the length of a video. */
export function duration(seconds: number) {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

const two = (n: number) => String(n).padStart(2, "0");
