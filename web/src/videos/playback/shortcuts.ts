import { useEffect, useEffectEvent } from "react";
import { canFloat, toggleFloating, toggleFullscreen } from "./screen-modes";

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

export const speed = (rate: number) => (rate === 1 ? "Normal speed" : `Speed ${rate}×`);

/** Seeks by this many seconds, and returns what to announce. */
export function skip(media: HTMLVideoElement, by: number) {
  media.currentTime = Math.max(0, Math.min(media.duration || 0, media.currentTime + by));
  return `${Math.abs(by)} seconds ${by < 0 ? "back" : "forward"}`;
}

export function togglePlay(media: HTMLVideoElement) {
  if (!media.paused) {
    media.pause();
    return "Paused";
  }
  void media.play()?.catch(() => undefined);
  return "Playing";
}

export function toggleMute(media: HTMLVideoElement) {
  media.muted = !media.muted;
  return media.muted ? "Sound off" : "Sound on";
}

export function seek(media: HTMLVideoElement, seconds: number) {
  media.currentTime = seconds;
}

export function setRate(media: HTMLVideoElement, rate: number) {
  media.playbackRate = rate;
}

/** From 0 to 1. */
export function setVolume(media: HTMLVideoElement, volume: number) {
  media.muted = false;
  media.volume = Math.max(0, Math.min(1, volume));
}

function louder(media: HTMLVideoElement, by: number) {
  setVolume(media, Math.round((media.volume + by) * 20) / 20);
  return `Volume ${Math.round(media.volume * 100)}%`;
}

function faster(media: HTMLVideoElement, step: 1 | -1) {
  const at = rates.findIndex((rate) => rate >= media.playbackRate);
  media.playbackRate = rates[Math.max(0, Math.min(rates.length - 1, at + step))]!;
  return speed(media.playbackRate);
}

/** Steps one frame back or forward while the video is paused. */
function stepPicture(media: HTMLVideoElement, by: 1 | -1) {
  if (!media.paused) return null;
  media.currentTime = Math.max(0, media.currentTime + by / 30);
  return "";
}

/** Actions that only some videos have. */
type Actions = { toggleCaptions?: (() => string) | undefined; playNext?: (() => void) | undefined };

/** Does what this key does in YouTube's player, and returns what to announce. */
function act(key: string, media: HTMLVideoElement, stage: HTMLElement, more: Actions): string | null {
  if (/^\d$/.test(key)) {
    media.currentTime = ((media.duration || 0) * Number(key)) / 10;
    return `${Number(key) * 10}%`;
  }
  switch (key) {
    case " ":
    case "k":
      return togglePlay(media);
    case "j":
      return skip(media, -10);
    case "l":
      return skip(media, 10);
    case "ArrowLeft":
      return skip(media, -5);
    case "ArrowRight":
      return skip(media, 5);
    case "ArrowUp":
      return louder(media, 0.05);
    case "ArrowDown":
      return louder(media, -0.05);
    case "Home":
      media.currentTime = 0;
      return "Beginning";
    case "End":
      media.currentTime = media.duration || 0;
      return "End";
    case "m":
      return toggleMute(media);
    case "f":
      void toggleFullscreen(media, stage);
      return "";
    case "c":
      return more.toggleCaptions?.() ?? null;
    case "i":
      if (!canFloat(media)) return null;
      void toggleFloating(media);
      return "";
    case "N":
      if (!more.playNext) return null;
      more.playNext();
      return "";
    case ",":
      return stepPicture(media, -1);
    case ".":
      return stepPicture(media, 1);
    case "<":
      return faster(media, -1);
    case ">":
      return faster(media, 1);
    default:
      return null;
  }
}

/** Keys count only inside the player, so that they never interfere with typing or with a screen reader's keys. */
export function useShortcuts(media: HTMLVideoElement, stage: HTMLElement, said: (text: string) => void, more: Actions) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const { target, key, shiftKey } = event;
    // A focused button handles Space itself, and a list handles the arrow keys.
    if (target instanceof HTMLElement && target.closest("select, [data-own-keys]")) return;
    if (target instanceof HTMLElement && key === " " && target.closest("button, a")) return;
    const name = key.length === 1 ? key.toLowerCase() : key;
    const text = act(name === "n" && shiftKey ? "N" : name, media, stage, more);
    if (text === null) return;
    event.preventDefault();
    said(text);
  });
  useEffect(() => {
    stage.addEventListener("keydown", onKey);
    return () => stage.removeEventListener("keydown", onKey);
  }, [stage]);
}
