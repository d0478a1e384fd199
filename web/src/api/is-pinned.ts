import type { LiveUpdate } from "./client";

/** Whether an update is pinned at this time, given as a Date or in milliseconds. */
export const isPinned = ({ pinned_until: end }: Pick<LiveUpdate, "pinned_until">, now: Date | number) =>
  end != null && Date.parse(end) > Number(now);
