export const unsentPrefix = "draft ";

/** Called after each {@link deleteUnsent}. */
export const onDeletion = new Set<() => void>();

const ofPublicPages = (key: string) => key.startsWith(unsentPrefix);

/** Deletes the unsent texts of the public pages, or others by their key in the session storage of the tab. */
export function deleteUnsent(matches = ofPublicPages) {
  try {
    Object.keys(sessionStorage)
      .filter(matches)
      .forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Without session storage there are none.
  }
  onDeletion.forEach((listener) => listener());
}
