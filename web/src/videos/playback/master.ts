/** A picture size that can be chosen. */
type Rung = { lines: number; url: string };

/** The picture sizes in a master playlist, best first. */
export function rungsOf(playlist: string, base: string): Rung[] {
  const lines = playlist.split(/\r?\n/);
  const rungs = lines.flatMap((line, at) => {
    const size = /^#EXT-X-STREAM-INF:.*RESOLUTION=(\d+)x(\d+)/.exec(line);
    const address = lines.slice(at + 1).find((next) => next !== "" && !next.startsWith("#"));
    if (!size || !address) return [];
    return [{ lines: Math.min(Number(size[1]), Number(size[2])), url: new URL(address, base).href }];
  });
  return rungs.toSorted((a, b) => b.lines - a.lines);
}
