import { useMemo, useSyncExternalStore } from "react";

const events = [
  "play",
  "pause",
  "playing",
  "waiting",
  "seeking",
  "seeked",
  "timeupdate",
  "durationchange",
  "progress",
  "volumechange",
  "ratechange",
  "ended",
  "emptied",
] as const;

const read = (media: HTMLVideoElement) => ({
  paused: media.paused,
  ended: media.ended,
  /** Whether the video should be playing but waits for the network. */
  waiting: !media.paused && !media.ended && media.readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
  time: media.currentTime,
  duration: Number.isFinite(media.duration) ? media.duration : 0,
  loaded: media.buffered.length > 0 ? media.buffered.end(media.buffered.length - 1) : 0,
  volume: media.muted ? 0 : media.volume,
  rate: media.playbackRate,
});

function storeOf(media: HTMLVideoElement) {
  let now = read(media);
  return {
    subscribe(listener: () => void) {
      const changed = () => {
        now = read(media);
        listener();
      };
      events.forEach((event) => media.addEventListener(event, changed));
      changed();
      return () => events.forEach((event) => media.removeEventListener(event, changed));
    },
    read: () => now,
  };
}

/** The element's current state, for as long as the component is mounted. */
export function useMediaState(media: HTMLVideoElement) {
  const store = useMemo(() => storeOf(media), [media]);
  return useSyncExternalStore(store.subscribe, store.read);
}
