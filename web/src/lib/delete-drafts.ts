/** What one person typed, as the session storage of the tab has it; `owner` is who was signed in. */
export type StoredDraft = { owner: string | null; value: unknown };

export const draftPrefix = "draft ";

/** Called after each {@link deleteDrafts}. */
export const onDeletion = new Set<() => void>();

export function storedDraft(key: string): StoredDraft | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as StoredDraft | null;
  } catch {
    return null;
  }
}

/** Deletes the drafts of the public pages, or of another area, except those of `owner`. */
export function deleteDrafts(area = "", owner?: string) {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(area + draftPrefix) && !(owner && storedDraft(key)?.owner === owner));
    keys.forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Without session storage there are no drafts.
  }
  onDeletion.forEach((listener) => listener());
}
