/** Pauses every other video, on this page and in other tabs, when this one plays. */
export function playAlone(media: HTMLVideoElement) {
  const tabs = "BroadcastChannel" in window ? new BroadcastChannel("playing") : null;
  const onPlay = () => {
    document.querySelectorAll("video").forEach((other) => other !== media && other.pause());
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    tabs?.postMessage("playing");
  };
  // A muted preview elsewhere bothers nobody.
  const onMessage = () => media.muted || media.pause();
  media.addEventListener("play", onPlay);
  tabs?.addEventListener("message", onMessage);
  if (!media.paused) onPlay();
  return () => {
    media.removeEventListener("play", onPlay);
    tabs?.close();
  };
}
