import { useSyncExternalStore } from "react";

/** iPhones show only the video itself in full screen, through their own function. */
type AppleVideo = HTMLVideoElement & { webkitEnterFullscreen?: () => void };

const changes = ["fullscreenchange", "enterpictureinpicture", "leavepictureinpicture"];

function listen(listener: () => void) {
  changes.forEach((change) => document.addEventListener(change, listener, true));
  return () => changes.forEach((change) => document.removeEventListener(change, listener, true));
}

export const useIsFullscreen = () => useSyncExternalStore(listen, () => Boolean(document.fullscreenElement));

export const canFullscreen = (media: AppleVideo, stage: HTMLElement) =>
  "requestFullscreen" in stage || Boolean(media.webkitEnterFullscreen);

export async function toggleFullscreen(media: AppleVideo, stage: HTMLElement) {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else if ("requestFullscreen" in stage) await stage.requestFullscreen();
    else media.webkitEnterFullscreen?.();
  } catch {
    // The browser does not allow it here.
  }
}

export const canFloat = (media: HTMLVideoElement) =>
  Boolean(document.pictureInPictureEnabled) && "requestPictureInPicture" in media;

export async function toggleFloating(media: HTMLVideoElement) {
  try {
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else await media.requestPictureInPicture();
  } catch {
    // The browser does not allow it here.
  }
}
