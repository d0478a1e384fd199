import type { LiveUpdate } from "../api/client";
import { isPinned } from "../api/is-pinned";

const highPriorityFor = 24 * 60 * 60_000;

function place(update: LiveUpdate, now: Date) {
  if (update.priority === "high" && Number(now) - Date.parse(update.created_at) < highPriorityFor) return 2;
  return isPinned(update, now) ? 1 : 0;
}

/**
 * High Priority updates of the last 24 hours, then pinned ones, then the rest, each newest first. The server has the
 * same order. An open page keeps it up to date as time passes.
 */
export const inOrder = (updates: readonly LiveUpdate[], now: Date): LiveUpdate[] =>
  updates.toSorted((a, b) => place(b, now) - place(a, now) || Date.parse(b.created_at) - Date.parse(a.created_at));

/** Inserts or replaces an update. */
export const insertUpdate = (updates: readonly LiveUpdate[], update: LiveUpdate): LiveUpdate[] =>
  inOrder([...updates.filter(({ id }) => id !== update.id), update], new Date());
