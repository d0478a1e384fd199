/** What a player needs to know of a file of the camp. */
export type FileAddresses = { video_url: string; hls_url?: string | null | undefined };

const hls = "application/vnd.apple.mpegurl";

/** Someone who saves data gets the one small file instead of the best picture that the line carries. */
const savesData = () =>
  Boolean((navigator as Navigator & { connection?: { saveData?: boolean } }).connection?.saveData);

/** WebKit: Safari, and every browser of an iPhone. */
const isApple = () => navigator.vendor === "Apple Computer, Inc.";

/**
 * How this browser plays a file: HLS by itself, HLS with the help of hls.js, or the one file that all can play. The sizes
 * of a film are cut at different moments. Chromium changes the size by the number of the segment, not by the time, and
 * ends such a film too early.
 */
export function methodFor(media: HTMLVideoElement, { hls_url }: FileAddresses): "native" | "hls.js" | "file" {
  if (!hls_url || savesData()) return "file";
  const native = Boolean(media.canPlayType(hls));
  if (native && isApple()) return "native";
  if ("MediaSource" in window || "ManagedMediaSource" in window) return "hls.js";
  return native ? "native" : "file";
}

/** Loads a file into an element. */
export function load(media: HTMLVideoElement, url: string) {
  media.src = url;
}

/** Where a film is, and how it plays. */
export type Playing = Pick<HTMLVideoElement, "currentTime" | "paused" | "playbackRate">;

/** Reads it before the element is given up by what fed it: then it stands at the beginning. */
export const playbackOf = ({ currentTime, paused, playbackRate }: HTMLVideoElement): Playing => ({
  currentTime,
  paused,
  playbackRate,
});

/** Goes on at the same place of another file. */
export function goOnIn(
  media: HTMLVideoElement,
  url: string,
  { currentTime, paused, playbackRate } = playbackOf(media),
) {
  media.src = url;
  media.addEventListener(
    "loadedmetadata",
    () => {
      media.currentTime = currentTime;
      media.playbackRate = playbackRate;
    },
    { once: true },
  );
  if (!paused) void media.play()?.catch(() => undefined);
}
