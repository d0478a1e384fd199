import { useSyncExternalStore } from "react";
import { unsentPrefix, onDeletion } from "./delete-unsent";

/** `owner` is who was signed in. */
type StoredText = { owner: string | null; value: unknown };

function stored(key: string): StoredText | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as StoredText | null;
  } catch {
    return null;
  }
}

/** Selects the unsent texts of an area that somebody other than `owner` typed. */
export const unsentOfOthers = (area: string, owner: string | undefined) => (key: string) =>
  key.startsWith(area + unsentPrefix) && (!owner || stored(key)?.owner !== owner);

/**
 * Reads what was typed and not sent. It is kept in the tab's session storage, so it outlives a link, a reload and
 * signing in, and is deleted with the tab and by signing out. Nothing secret belongs here, and in the staff area
 * nothing about a family. What one person typed while signed in is not shown to another: `owner` is who is signed in.
 */
export function readUnsent<Value>(name: string, owner: string | undefined, area = ""): Value | null {
  const found = stored(area + unsentPrefix + name);
  const mine = found && (found.owner === null || owner === undefined || found.owner === owner);
  return mine ? (found.value as Value) : null;
}

/** Stores what was typed; null deletes it. */
export function writeUnsent(name: string, owner: string | undefined, value: unknown, area = "") {
  const key = area + unsentPrefix + name;
  const text: StoredText = { owner: owner ?? null, value };
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(text));
  } catch {
    // Without session storage it does not outlive the page.
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

/** A number that changes with each deletion of unsent texts: used as the key of a form, it clears the form too. */
export const useUnsentDeletions = () => useSyncExternalStore(subscribe, () => deletions);
