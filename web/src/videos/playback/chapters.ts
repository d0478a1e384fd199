export type Chapter = { start_seconds: number; title: string };

/** The chapter at this time. */
export const chapterAt = (chapters: readonly Chapter[], seconds: number) =>
  chapters.findLast(({ start_seconds }) => start_seconds <= seconds);
