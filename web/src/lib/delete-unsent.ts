export const unsentPrefix = "draft ";

/** What the browser keeps for one person: where videos were stopped, and notifications that are waiting. */
export const ofOnePerson = { positions: "positions", waitingNotices: "waitingNotices" };

/** Called after each {@link deleteUnsent}. */
export const onDeletion = new Set<() => void>();

const ofPublicPages = (key: string) => key.startsWith(unsentPrefix);

/**
 * Deletes the unsent texts of the public pages and {@link ofOnePerson}, or other texts whose keys in the tab's session
 * storage match.
 */
export function deleteUnsent(matches = ofPublicPages) {
  try {
    Object.keys(sessionStorage)
      .filter(matches)
      .forEach((key) => sessionStorage.removeItem(key));
    if (matches === ofPublicPages) Object.values(ofOnePerson).forEach((key) => localStorage.removeItem(key));
  } catch {
    // Without storage there are none.
  }
  onDeletion.forEach((listener) => listener());
}
