export const draftPrefix = "draft ";

/** Called after each {@link deleteDrafts}. */
export const onDeletion = new Set<() => void>();

const ofPublicPages = (key: string) => key.startsWith(draftPrefix);

/** Deletes the drafts of the public pages, or others by their key in the session storage of the tab. */
export function deleteDrafts(matches = ofPublicPages) {
  try {
    Object.keys(sessionStorage)
      .filter(matches)
      .forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Without session storage there are no drafts.
  }
  onDeletion.forEach((listener) => listener());
}
