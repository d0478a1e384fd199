/** What a player needs to know about the camp's own file. */
export type FileAddresses = { video_url: string; hls_url?: string | null | undefined };

const hls = "application/vnd.apple.mpegurl";

/**
 * Whether the person saves data. They get the one small file instead of the best picture that the connection can carry.
 */
const savesData = () =>
  Boolean((navigator as Navigator & { connection?: { saveData?: boolean } }).connection?.saveData);

/** Whether this is WebKit: Safari, and every browser on an iPhone. */
const isApple = () => navigator.vendor === "Apple Computer, Inc.";

/**
 * How this browser plays a file: HLS by itself, HLS with hls.js, or the one file that all browsers can play. A film's
 * sizes are cut at different times. Chromium changes the size by segment number instead of by time, and ends such a
 * film too early.
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

/** The position of a film, and how it is playing. */
export type Playing = Pick<HTMLVideoElement, "currentTime" | "paused" | "playbackRate">;

/** Call this before the element's source is removed, because that resets it to the beginning. */
export const playbackOf = ({ currentTime, paused, playbackRate }: HTMLVideoElement): Playing => ({
  currentTime,
  paused,
  playbackRate,
});

/** Continues at the same position in another file. */
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
