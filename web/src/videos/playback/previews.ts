export type Preview = { start: number; end: number; url: string; x: number; y: number; width: number; height: number };

const seconds = (time: string) => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

/** Reads the seek bar's pictures: a WebVTT file whose cues name parts of a larger picture. */
export function previewsOf(vtt: string, base: string): Preview[] {
  return vtt.split(/\r?\n\r?\n/).flatMap((cue) => {
    const time = /([\d:.]+) --> ([\d:.]+)/.exec(cue);
    const place = /^(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)/m.exec(cue);
    if (!time || !place) return [];
    const [x, y, width, height] = place.slice(2).map(Number) as [number, number, number, number];
    return [
      { start: seconds(time[1]!), end: seconds(time[2]!), url: new URL(place[1]!, base).href, x, y, width, height },
    ];
  });
}
