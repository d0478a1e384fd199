import { useSyncExternalStore } from "react";

const prefix = "draft ";
/** The names of the staff area's drafts begin with this. */
export const staffDraft = "staff ";

type Stored = { owner: string | null; value: unknown };

const listeners = new Set<() => void>();
let deletions = 0;

function stored(key: string): Stored | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Stored | null;
  } catch {
    return null;
  }
}

/**
 * Reads what was typed and not sent. A draft is kept in the tab's session storage, so it outlives a link, a reload and
 * signing in, and goes with the tab and with signing out. Nothing secret belongs into a draft, and in the staff area
 * nothing about a family. What one person typed while signed in is not shown to another: `owner` is who is signed in.
 */
export function readDraft<Value>(name: string, owner: string | undefined): Value | null {
  const draft = stored(prefix + name);
  const mine = draft && (draft.owner === null || owner === undefined || draft.owner === owner);
  return mine ? (draft.value as Value) : null;
}

/** Stores a draft; null deletes it. */
export function writeDraft(name: string, owner: string | undefined, value: unknown) {
  const draft: Stored = { owner: owner ?? null, value };
  try {
    if (value === null) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, JSON.stringify(draft));
  } catch {
    // Without session storage a draft does not outlive the page.
  }
}

/** Deletes the drafts whose name and owner match. */
export function deleteDrafts(matches: (name: string, owner: string | null | undefined) => boolean) {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix) && matches(key.slice(prefix.length), stored(key)?.owner));
    keys.forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Without session storage there are no drafts.
  }
  deletions += 1;
  listeners.forEach((listener) => listener());
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Another number after each {@link deleteDrafts}: as the key of a form it empties the form too. */
export const useDraftDeletions = () => useSyncExternalStore(subscribe, () => deletions);
