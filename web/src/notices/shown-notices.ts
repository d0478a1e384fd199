const name = "notified";
const most = 20;

type How = "here" | "by notification";

/** What this browser has said already, by id; a page that listens after another one hears the last hours again. */
function all(): [id: string, how: How][] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(kept) ? (kept as [string, How][]) : [];
  } catch {
    return [];
  }
}

export const shownBefore = (id: string): How | undefined => all().find((told) => told[0] === id)?.[1];

export function recordShown(id: string, how: How) {
  if (shownBefore(id)) return;
  try {
    localStorage.setItem(name, JSON.stringify([...all(), [id, how]].slice(-most)));
  } catch {
    // Then only the tag keeps a notification from coming twice.
  }
}
