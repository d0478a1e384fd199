export type Chapter = { start_seconds: number; title: string };

/** The chapter of a place. */
export const chapterAt = (chapters: readonly Chapter[], seconds: number) =>
  chapters.findLast(({ start_seconds }) => start_seconds <= seconds);
