import { useSyncExternalStore } from "react";
import { draftPrefix, onDeletion } from "./delete-drafts";

/** `owner` is who was signed in. */
type StoredDraft = { owner: string | null; value: unknown };

function stored(key: string): StoredDraft | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as StoredDraft | null;
  } catch {
    return null;
  }
}

/** Selects the drafts of an area that somebody other than `owner` typed. */
export const draftsOfOthers = (area: string, owner: string | undefined) => (key: string) =>
  key.startsWith(area + draftPrefix) && (!owner || stored(key)?.owner !== owner);

/**
 * Reads what was typed and not sent. A draft is kept in the tab's session storage, so it outlives a link, a reload and
 * signing in, and is deleted with the tab and by signing out. Nothing secret belongs in a draft, and in the staff area
 * nothing about a family. What one person typed while signed in is not shown to another: `owner` is who is signed in.
 */
export function readDraft<Value>(name: string, owner: string | undefined, area = ""): Value | null {
  const draft = stored(area + draftPrefix + name);
  const mine = draft && (draft.owner === null || owner === undefined || draft.owner === owner);
  return mine ? (draft.value as Value) : null;
}

/** Stores a draft; null deletes it. */
export function writeDraft(name: string, owner: string | undefined, value: unknown, area = "") {
  const key = area + draftPrefix + name;
  const draft: StoredDraft = { owner: owner ?? null, value };
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without session storage a draft does not outlive the page.
  }
}

let deletions = 0;
onDeletion.add(() => {
  deletions += 1;
});

const subscribe = (listener: () => void) => {
  onDeletion.add(listener);
  return () => onDeletion.delete(listener);
};

/** A number that changes with each deletion of drafts: used as the key of a form, it clears the form too. */
export const useDraftDeletions = () => useSyncExternalStore(subscribe, () => deletions);
