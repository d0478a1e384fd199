import { useSyncExternalStore } from "react";

const prefix = "text ";
type Kept = { owner: string | null; value: unknown };

const listeners = new Set<() => void>();
let forgotten = 0;

/**
 * What somebody has typed on a public page and not sent, as their tab holds it over a link, a reload and signing in. It
 * goes with the tab and with signing out. Nothing secret belongs here. What one person typed while signed in is not
 * shown to another: `userId` is who is signed in now.
 */
export function keptText<Value>(what: string, userId: string | undefined): Value | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(prefix + what) ?? "null") as Kept | null;
    const mine = kept && (kept.owner === null || userId === undefined || kept.owner === userId);
    return mine ? (kept.value as Value) : null;
  } catch {
    return null;
  }
}

/** Null forgets it. */
export function keepText(what: string, userId: string | undefined, value: unknown) {
  const kept: Kept = { owner: userId ?? null, value };
  try {
    if (value === null) sessionStorage.removeItem(prefix + what);
    else sessionStorage.setItem(prefix + what, JSON.stringify(kept));
  } catch {
    // Then it does not outlive the page.
  }
}

/** Somebody signed out: nothing of what they typed stays in this tab. */
export function forgetTexts() {
  try {
    Object.keys(sessionStorage).filter((key) => key.startsWith(prefix)).forEach((key) => sessionStorage.removeItem(key));
  } catch {
    // Nothing was kept either.
  }
  forgotten += 1;
  listeners.forEach((tell) => tell());
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Another number after each {@link forgetTexts}: as the key of a form it empties the form too. */
export const useForgotten = () => useSyncExternalStore(subscribe, () => forgotten);
