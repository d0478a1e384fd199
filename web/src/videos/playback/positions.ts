import { ofOnePerson } from "../../lib/delete-unsent";

/** Where each video was stopped in this browser: seconds by id, the most recent last. Signing out deletes it. */
const key = ofOnePerson.positions;
const most = 100;
/** In seconds. Nobody misses the beginning, and near the end the video is over. */
const [first, last] = [10, 15];

function stored(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

export const positionOf = (id: string): number | null => stored()[id] ?? null;

/** The place to save. The beginning and the end are not saved. */
export const keptPlace = (at: number, duration: number) => (at < first || !(at < duration - last) ? 0 : Math.floor(at));

/** Saves where a video was stopped. */
export function keepPosition(id: string, at: number, duration: number) {
  const { [id]: _before, ...others } = stored();
  const place = keptPlace(at, duration);
  const kept = place === 0 ? others : { ...others, [id]: place };
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(Object.entries(kept).slice(-most))));
  } catch {
    // Without storage, every video starts at its beginning.
  }
}
