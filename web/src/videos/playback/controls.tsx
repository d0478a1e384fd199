import { useEffect, useEffectEvent, useRef, useState, type PointerEvent, type RefObject, type TouchEvent } from "react";
import type Hls from "hls.js";
import { duration } from "../../lib/format";
import { Link, navigate } from "../../lib/navigation";
import { paths } from "../../lib/paths";
import { InlineTitle } from "../../ui/inline-title";
import { playAlone } from "./alone";
import { CaptionTexts } from "./captions";
import type { Chapter } from "./chapters";
import { useMediaState } from "./media-state";
import { keepPosition, keptPlace, positionOf } from "./positions";
import { qualityOfBrowser, qualityOfHls, type Quality } from "./quality";
import { canFloat, canFullscreen, toggleFloating, toggleFullscreen, useIsFullscreen } from "./screen-modes";
import { SeekBar } from "./seek-bar";
import { SettingsMenu } from "./settings-menu";
import { seek, setVolume, skip, toggleMute, togglePlay, useShortcuts } from "./shortcuts";
import { Shape } from "./shape";
import { captionNames, useCaptions, type CaptionTrack } from "./use-captions";
import type { FileAddresses } from "./source";
import "./controls.css";

type Film = FileAddresses & {
  /** Absent while staff preview a link. */
  id?: string | undefined;
  title: string;
  previews_url?: string | null | undefined;
  next?: { id: string; title: string } | null | undefined;
  captions?: readonly CaptionTrack[] | undefined;
  chapters?: readonly Chapter[] | undefined;
  /** Where the signed-in viewer stopped watching. */
  resume_seconds?: number | null | undefined;
};

export type ControlsProps = {
  video: Film;
  media: HTMLVideoElement;
  stage: HTMLElement;
  /** Whether the browser plays HLS by itself. */
  native: boolean;
  hls: Hls | null;
  /** Whether a start time was requested, so that the place where the video was stopped does not count. */
  placed: boolean;
  /** Saves in the viewer's account where the video was stopped. */
  onPlace?: ((seconds: number) => void) | undefined;
};

/** The player's own controls, laid over the picture. */
export default function Controls({ video, media, stage, native, hls, placed, onPlace }: ControlsProps) {
  const state = useMediaState(media);
  const { message, say } = useMessage();
  const [menuOpen, setMenuOpen] = useState(false);
  const { idle, wake, hide } = useIdle(stage, !state.paused && !menuOpen);
  const quality = useQuality({ hlsUrl: video.hls_url, media, native, hls });
  const setMenu = (open: boolean) => {
    setMenuOpen(open);
    wake();
  };
  const closeMenu = menuOpen ? () => setMenu(false) : null;
  const surface = useSurface({ media, stage, say, idle, wake, hide, closeMenu });
  const resumed = useResume(media, video, placed, onPlace);
  const captions = useCaptions(media, video.captions ?? []);
  const hasCaptions = (video.captions ?? []).length > 0;
  const play = useRef<HTMLButtonElement>(null);
  const { next } = video;
  useShortcuts(media, stage, say, {
    toggleCaptions: hasCaptions ? captions.toggle : undefined,
    playNext: next ? () => navigate(paths.play(next.id)) : undefined,
  });
  useEffect(() => playAlone(media), [media]);
  // Moves the focus to the play button, so that whoever pressed play can continue with the keyboard. Somebody who is
  // typing is not interrupted.
  useEffect(() => {
    const here = document.activeElement;
    if (!here || here === document.body || here.tagName === "MAIN" || stage.contains(here))
      play.current?.focus({ preventScroll: true });
  }, [stage]);

  return (
    <div className="vp" data-idle={idle || undefined} data-paused={state.paused || undefined}>
      <div className="vp-surface" {...surface} />
      {!state.ended && <CaptionTexts texts={captions.texts} language={captions.language} />}
      {state.waiting && <div className="vp-wait" role="status" aria-label="Loading the video" />}
      <p role="status" className="vp-said" data-shown={message !== "" || undefined}>
        {message}
      </p>
      {resumed.at !== null && (
        <button type="button" className="vp-chip" onClick={resumed.startOver}>
          Resumed at {duration(resumed.at)} · Start over
        </button>
      )}
      {/* For fingers, which would miss the row below. Everybody else has the button there. */}
      {!state.ended && !state.waiting && (
        <button
          type="button"
          aria-hidden="true"
          tabIndex={-1}
          className="vp-center"
          onClick={() => {
            togglePlay(media);
            wake();
          }}
        >
          <Shape name={state.paused ? "play" : "pause"} />
        </button>
      )}
      {state.ended && <EndScreen media={media} next={next} />}
      <Bar
        video={video}
        media={media}
        stage={stage}
        state={state}
        captions={captions}
        quality={quality}
        menuOpen={menuOpen}
        onMenu={setMenu}
        play={play}
        say={say}
      />
    </div>
  );
}

type BarProps = Pick<ControlsProps, "video" | "media" | "stage"> & {
  state: ReturnType<typeof useMediaState>;
  captions: ReturnType<typeof useCaptions>;
  quality: Quality | null;
  menuOpen: boolean;
  onMenu: (open: boolean) => void;
  play: RefObject<HTMLButtonElement | null>;
  say: (text: string) => void;
};

/** The timeline and the buttons. Time runs from left to right even on a mirrored page, as in every other player. */
function Bar({ video, media, stage, state, captions, quality, menuOpen, onMenu, play, say }: BarProps) {
  const hasCaptions = (video.captions ?? []).length > 0;
  return (
    <div className="vp-bar" dir="ltr">
      <SeekBar media={media} state={state} previews={video.previews_url} chapters={video.chapters ?? []} />
      <div className="vp-row">
        <button
          ref={play}
          type="button"
          className="vp-button"
          aria-label={state.paused ? "Play" : "Pause"}
          onClick={() => say(togglePlay(media))}
        >
          <Shape name={state.paused ? "play" : "pause"} />
        </button>
        <button
          type="button"
          className="vp-button vp-wide"
          aria-label="10 seconds back"
          onClick={() => say(skip(media, -10))}
        >
          <Shape name="back" />
        </button>
        <button
          type="button"
          className="vp-button vp-wide"
          aria-label="10 seconds forward"
          onClick={() => say(skip(media, 10))}
        >
          <Shape name="forward" />
        </button>
        <Volume media={media} volume={state.volume} say={say} />
        <span className="vp-time">
          {duration(state.time)} <span className="vp-of">/ {duration(state.duration)}</span>
        </span>
        <span className="vp-gap" />
        {hasCaptions && (
          <button
            type="button"
            className="vp-button vp-room"
            aria-label="Captions"
            aria-pressed={captions.language !== ""}
            onClick={() => say(captions.toggle())}
          >
            <Shape name="captions" />
          </button>
        )}
        <SettingsMenu media={media} rate={state.rate} quality={quality} open={menuOpen} onOpen={onMenu}>
          {hasCaptions && (
            <label>
              Captions
              <select value={captions.language} onChange={(event) => captions.choose(event.target.value)}>
                <option value="">Off</option>
                {video.captions?.map(({ language }) => (
                  <option key={language} value={language} lang={language}>
                    {captionNames[language] ?? language}
                  </option>
                ))}
              </select>
            </label>
          )}
        </SettingsMenu>
        <ScreenModes media={media} stage={stage} />
      </div>
    </div>
  );
}

type VolumeProps = { media: HTMLVideoElement; volume: number; say: (text: string) => void };

const Volume = ({ media, volume, say }: VolumeProps) => (
  <>
    <button
      type="button"
      className="vp-button"
      aria-label={volume === 0 ? "Unmute" : "Mute"}
      onClick={() => say(toggleMute(media))}
    >
      <Shape name={volume === 0 ? "silent" : "loud"} />
    </button>
    <input
      type="range"
      className="vp-volume"
      data-own-keys
      aria-label="Volume"
      min={0}
      max={100}
      value={Math.round(volume * 100)}
      onChange={(event) => setVolume(media, Number(event.target.value) / 100)}
    />
  </>
);

function ScreenModes({ media, stage }: { media: HTMLVideoElement; stage: HTMLElement }) {
  const fullscreen = useIsFullscreen();
  return (
    <>
      {canFloat(media) && (
        <button
          type="button"
          className="vp-button vp-wide"
          aria-label="Picture in picture"
          onClick={() => void toggleFloating(media)}
        >
          <Shape name="floating" />
        </button>
      )}
      {canFullscreen(media, stage) && (
        <button
          type="button"
          className="vp-button"
          aria-label={fullscreen ? "Leave full screen" : "Full screen"}
          onClick={() => void toggleFullscreen(media, stage)}
        >
          <Shape name={fullscreen ? "small" : "large"} />
        </button>
      )}
    </>
  );
}

function EndScreen({ media, next }: { media: HTMLVideoElement; next: Film["next"] }) {
  return (
    <div className="vp-end">
      {next && (
        <>
          <p>
            Next video: <InlineTitle>{next.title}</InlineTitle>
          </p>
          <Link to={paths.play(next.id)} className="vp-big vp-amber">
            <Shape name="play" />
            Play next
          </Link>
        </>
      )}
      <button type="button" className="vp-big" onClick={() => togglePlay(media)}>
        <Shape name="forward" />
        Watch again
      </button>
    </div>
  );
}

/** What a key or a double tap did, shown briefly and read aloud. */
function useMessage() {
  const [message, setMessage] = useState("");
  useEffect(() => {
    if (!message) return;
    const timer = setTimeout(() => setMessage(""), 1_200);
    return () => clearTimeout(timer);
  }, [message]);
  return { message, say: setMessage };
}

/** Whether nobody has moved for a while, so that the controls hide. */
function useIdle(stage: HTMLElement, playing: boolean) {
  const [still, setStill] = useState(false);
  const [moved, setMoved] = useState(0);
  const wake = () => {
    setStill(false);
    setMoved((n) => n + 1);
  };
  useEffect(() => {
    const timer = setTimeout(() => setStill(true), 3_000);
    return () => clearTimeout(timer);
  }, [moved]);
  useEffect(() => {
    // A tap on the picture shows or hides the controls itself. A finger on the controls keeps them visible.
    const onMove = ({ pointerType, target }: globalThis.PointerEvent) => {
      if (pointerType !== "touch" || !(target as Element).closest(".vp-surface")) wake();
    };
    const events = [
      ["pointermove", onMove],
      ["pointerdown", onMove],
      ["keydown", wake],
      ["focusin", wake],
    ] as const;
    events.forEach(([event, listener]) => stage.addEventListener(event, listener as EventListener));
    return () => events.forEach(([event, listener]) => stage.removeEventListener(event, listener as EventListener));
  }, [stage]);
  return { idle: still && playing, wake, hide: () => setStill(true) };
}

const doubleTap = 300;

type SurfaceOptions = Pick<ControlsProps, "media" | "stage"> & {
  say: (text: string) => void;
  idle: boolean;
  wake: () => void;
  hide: () => void;
  /** Set while the menu is open. Then a press outside it only closes the menu. */
  closeMenu: (() => void) | null;
};

/** A click plays and pauses. A tap shows or hides the controls, and each further tap at a side skips ten seconds. */
function useSurface({ media, stage, say, idle, wake, hide, closeMenu }: SurfaceOptions) {
  const last = useRef({ at: -doubleTap, side: 0 });
  const hiding = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(hiding.current), []);

  function onTap({ timeStamp, clientX }: PointerEvent) {
    const { left, width } = stage.getBoundingClientRect();
    const part = (clientX - left) / width;
    const side = part < 0.35 ? -1 : part > 0.65 ? 1 : 0;
    const again = timeStamp - last.current.at < doubleTap && side === last.current.side;
    last.current = { at: timeStamp, side };
    clearTimeout(hiding.current);
    if (again && side !== 0) say(skip(media, side * 10));
    else if (again) say(togglePlay(media));
    // Waits for a possible second tap, because it would find no controls if they were hidden at once.
    else if (!idle && !media.paused) {
      hiding.current = setTimeout(hide, doubleTap);
      return;
    }
    wake();
  }

  return {
    // The click that follows a tap would hit the control that the tap has just shown.
    onTouchEnd: (event: TouchEvent) => event.preventDefault(),
    onPointerUp: (event: PointerEvent) => {
      if (event.button !== 0) return;
      if (closeMenu) return closeMenu();
      if (event.pointerType === "touch") return onTap(event);
      if (event.timeStamp - last.current.at < doubleTap) void toggleFullscreen(media, stage);
      say(togglePlay(media));
      last.current = { at: event.timeStamp, side: 0 };
    },
  };
}

type QualityProps = Pick<ControlsProps, "media" | "native" | "hls"> & { hlsUrl: string | null | undefined };

function useQuality({ hlsUrl, media, native, hls }: QualityProps) {
  const [quality, setQuality] = useState<Quality | null>(null);
  useEffect(() => {
    if (hls) qualityOfHls(hls, setQuality);
    else if (native && hlsUrl) void qualityOfBrowser(media, hlsUrl, setQuality);
  }, [hls, media, native, hlsUrl]);
  return quality;
}

/** Resumes where this video was stopped, and saves where it is stopped next. */
function useResume(
  media: HTMLVideoElement,
  { id, resume_seconds: onAccount }: Film,
  placed: boolean,
  onPlace: ((seconds: number) => void) | undefined,
) {
  const [at, setAt] = useState<number | null>(null);
  // Where the video was stopped before this visit. The account is refetched while the video plays.
  const [begun] = useState(onAccount);
  const tell = useEffectEvent((seconds: number) => onPlace?.(seconds));
  useEffect(() => {
    if (!id) return;
    // Somebody who finished the video on another device starts over.
    const before = placed ? null : (begun ?? positionOf(id)) || null;
    let told: number | null = null;
    const goOn = () => {
      if (before === null || media.currentTime > 3 || before > media.duration - 10) return;
      seek(media, before);
      setAt(before);
    };
    const keep = () => {
      const now = media.ended ? 0 : media.currentTime;
      keepPosition(id, now, media.duration);
      const place = keptPlace(now, media.duration);
      // The account is updated now and then while the video plays, and at once when it stops.
      if (place === told || (!media.paused && told !== null && Math.abs(place - told) < 15)) return;
      told = place;
      tell(place);
    };
    if (media.readyState > 0) goOn();
    else media.addEventListener("loadedmetadata", goOn, { once: true });
    const timer = setInterval(() => media.paused || keep(), 5_000);
    media.addEventListener("pause", keep);
    media.addEventListener("ended", keep);
    addEventListener("pagehide", keep);
    return () => {
      clearInterval(timer);
      if (media.currentTime > 0) keep();
      media.removeEventListener("loadedmetadata", goOn);
      media.removeEventListener("pause", keep);
      media.removeEventListener("ended", keep);
      removeEventListener("pagehide", keep);
    };
  }, [media, id, placed, begun]);
  useEffect(() => {
    if (at === null) return;
    const timer = setTimeout(() => setAt(null), 8_000);
    return () => clearTimeout(timer);
  }, [at]);
  return {
    at,
    startOver: () => {
      seek(media, 0);
      setAt(null);
    },
  };
}
