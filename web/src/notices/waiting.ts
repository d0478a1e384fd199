import { ofOnePerson } from "../lib/delete-unsent";
import type { Notice } from "./device";

/** A notification that is shown after quiet time. */
type WaitingNotice = Notice & { quietUntil: string };

const name = ofOnePerson.waitingNotices;
const most = 50;
/** After this long, nobody wants the notification any more. */
const longest = 12 * 3_600_000;

/**
 * The waiting notices, in the order of their events. They survive the page, and any page that is open afterwards shows
 * them.
 */
function all(): WaitingNotice[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(kept) ? (kept as WaitingNotice[]) : [];
  } catch {
    return [];
  }
}

function keep(waiting: WaitingNotice[]) {
  try {
    if (waiting.length > 0) localStorage.setItem(name, JSON.stringify(waiting.slice(-most)));
    else localStorage.removeItem(name);
  } catch {
    // Without storage, only the emails bring the news.
  }
}

const due = ({ quietUntil }: WaitingNotice) => Date.parse(quietUntil);

export const addWaiting = (notice: WaitingNotice) => keep([...all().filter(({ id }) => id !== notice.id), notice]);

export const removeWaiting = (id: string) => keep(all().filter((notice) => notice.id !== id));

/** Removes and returns the notices that quiet time no longer holds back, in order. */
export function takeDue(now: number): WaitingNotice[] {
  const waiting = all();
  const ready = waiting.filter((notice) => !(due(notice) > now));
  if (ready.length > 0) keep(waiting.filter((notice) => due(notice) > now));
  return ready.filter((notice) => now - due(notice) < longest);
}

/** The milliseconds until the first notice is due, or null if none is waiting. */
export function timeToNext(now: number): number | null {
  const times = all().map(due);
  return times.length > 0 ? Math.max(0, Math.min(...times) - now) : null;
}
