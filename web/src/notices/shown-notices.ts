const name = "notified";
const most = 20;

type How = "here" | "by notification";

/**
 * The notices that this browser has shown, by id. A page that connects later receives the events of the last few hours
 * again.
 */
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
    // Without storage, only the tag prevents a second notification.
  }
}
