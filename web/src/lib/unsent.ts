import { useSyncExternalStore } from "react";
import { unsentPrefix, onDeletion } from "./delete-unsent";

/** `owner` is the person who was signed in. */
type StoredText = { owner: string | null; value: unknown };

function stored(key: string): StoredText | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as StoredText | null;
  } catch {
    return null;
  }
}

/** Selects an area's unsent texts that somebody other than `owner` typed. */
export const unsentOfOthers = (area: string, owner: string | undefined) => (key: string) =>
  key.startsWith(area + unsentPrefix) && (!owner || stored(key)?.owner !== owner);

/**
 * Reads what was typed and not sent. It is in the tab's session storage, so it survives a link, a reload and signing
 * in. Closing the tab or signing out deletes it. Never store anything secret here, or anything about a family in the
 * staff area. What one person typed while signed in is not shown to another. `owner` is the signed-in person.
 */
export function readUnsent<Value>(name: string, owner: string | undefined, area = ""): Value | null {
  const found = stored(area + unsentPrefix + name);
  const mine = found && (found.owner === null || owner === undefined || found.owner === owner);
  return mine ? (found.value as Value) : null;
}

/** Stores what was typed. Null deletes it. */
export function writeUnsent(name: string, owner: string | undefined, value: unknown, area = "") {
  const key = area + unsentPrefix + name;
  const text: StoredText = { owner: owner ?? null, value };
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(text));
  } catch {
    // Without session storage, the text is lost when the page closes.
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

/** A number that changes each time unsent texts are deleted. As the key of a form, it also clears the form. */
export const useUnsentDeletions = () => useSyncExternalStore(subscribe, () => deletions);
