import { useEffect, useState } from "react";

export type CaptionTrack = { language: string; url: string };

const key = "captions";

/** Each language's name in that language, so that people who need it can read it. */
export const captionNames: Record<string, string> = { en: "English", he: "עברית", yi: "ייִדיש" };

function remembered() {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function remember(language: string) {
  try {
    localStorage.setItem(key, language);
  } catch {
    // Without storage, the next video starts without captions.
  }
}

/** The modes in which the browser draws captions itself, because only the video is shown. */
const bare = [
  ["webkitbeginfullscreen", "webkitendfullscreen"],
  ["enterpictureinpicture", "leavepictureinpicture"],
] as const;

/**
 * The captions that are on, and their texts at this moment. The player draws them itself, so that they are readable in
 * a small player and never below its controls.
 */
export function useCaptions(media: HTMLVideoElement, tracks: readonly CaptionTrack[]) {
  const [wanted, setWanted] = useState(remembered);
  const [last, setLast] = useState(wanted);
  const [shown, setShown] = useState<{ language: string; texts: readonly DocumentFragment[] } | null>(null);
  const language = tracks.some((track) => track.language === wanted) ? wanted : "";
  const texts = shown?.language === language ? shown.texts : [];

  useEffect(() => {
    const track = [...(media.textTracks ?? [])].find((one) => language !== "" && one.language === language);
    if (!track) return;
    const changed = () =>
      setShown({ language, texts: [...(track.activeCues ?? [])].map((cue) => (cue as VTTCue).getCueAsHTML()) });
    const modes = bare.flatMap(([begin, end]) => [
      [begin, () => setMode(track, "showing")] as const,
      [end, () => setMode(track, "hidden")] as const,
    ]);
    track.addEventListener("cuechange", changed);
    setMode(track, "hidden");
    modes.forEach(([event, change]) => media.addEventListener(event, change));
    return () => {
      track.removeEventListener("cuechange", changed);
      modes.forEach(([event, change]) => media.removeEventListener(event, change));
      setMode(track, "disabled");
    };
  }, [media, language]);

  function choose(next: string) {
    remember(next);
    setWanted(next);
    if (next !== "") setLast(next);
  }

  /** Turns captions off, or on in the last chosen language. Returns what to announce. */
  function toggle() {
    const next = language === "" ? (tracks.find((track) => track.language === last) ?? tracks[0]) : undefined;
    choose(next?.language ?? "");
    return next ? `Captions: ${captionNames[next.language] ?? next.language}` : "Captions off";
  }

  return { language, texts, choose, toggle };
}

function setMode(track: TextTrack, mode: TextTrackMode) {
  track.mode = mode;
}
