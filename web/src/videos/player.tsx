import { useEffect, useEffectEvent, useRef, useState, type ComponentType, type SyntheticEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type Hls from "hls.js";
import type { Video } from "../api/client";
import { useSession } from "../api/queries";
import { duration } from "../lib/format";
import { whenIdle } from "../lib/idle";
import { Link } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { Button, buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";
import { InlineTitle } from "../ui/inline-title";
import type { ControlsProps } from "./playback/controls";
import { goOnIn, load, methodFor, playbackOf } from "./playback/source";
import { countView, keepPlace, videoQuery } from "./queries";
import { Thumbnail } from "./thumbnail";
import { PlayMark } from "./video-card";

/** A video on the portal, whose views are counted. */
export function Player({ video }: { video: Video }) {
  const counted = useRef(false);
  const { user } = useSession();
  const client = useQueryClient();
  const { asked, place } = usePlayParameters();
  const playing = asked && video.video_type === "upload";
  const [started, setStarted] = useState(false);

  // If the account cannot save the position, this browser still has it.
  const keep = (seconds: number) => void keepPlace(video.id, seconds).catch(() => undefined);
  // If the video was removed or may no longer be watched, the page then says why.
  const askWhy = () => void client.invalidateQueries({ queryKey: videoQuery(video.id).queryKey });

  function start() {
    setStarted(true);
    if (counted.current) return;
    counted.current = true;
    // A view that could not be counted is ignored.
    countView(video.id).catch(() => undefined);
  }

  return (
    <>
      <Screen
        video={video}
        playing={playing}
        place={place}
        onStart={start}
        onPlace={user ? keep : undefined}
        onBroken={askWhy}
      />
      {started && video.video_type !== "upload" && <EmbedHelp video={video} />}
    </>
  );
}

/**
 * A frame with another site's player does not tell whether it plays. Networks block such sites, and they take videos
 * down.
 */
function EmbedHelp({ video: { title, video_type, video_url } }: { video: Video }) {
  const youtube = video_type === "youtube";
  const page = youtube
    ? `https://www.youtube.com/watch?v=${new URL(video_url).pathname.split("/").at(-1)}`
    : video_url.replace(/\/preview$/, "/view");
  return (
    <details className="text-sm max-md:px-gutter">
      <summary className="link inline-flex min-h-tap items-center">Does it not play?</summary>
      <p className="mb-2 text-muted">
        The video is on {youtube ? "YouTube" : "Google Drive"}, which your internet filter or browser may block.
      </p>
      <p className="flex flex-wrap gap-3">
        <a href={page} target="_blank" rel="noreferrer" className={buttonLook("line")}>
          Open it on {youtube ? "YouTube" : "Google Drive"}
        </a>
        <Link to={paths.contactAbout(`Video does not play: ${title}`)} className={buttonLook("line")}>
          Tell the camp
        </Link>
      </p>
    </details>
  );
}

/** A requested position in the video. Each request makes a new object, even for the same position. */
export type Place = { seconds: number };

/**
 * Whether the URL asked to play, and from where. Links to chapters do both. The parameters are removed, so that a
 * reload or Back does not start the video again.
 */
function usePlayParameters() {
  const [params, setParams] = useSearchParams();
  const time = params.get("t");
  const present = params.has("play") || time !== null;
  const [asked] = useState(present);
  const [place, setPlace] = useState<Place | null>(null);
  const [before, setBefore] = useState<string | null>(null);
  if (time !== before) {
    setBefore(time);
    if (time !== null && /^\d{1,6}$/.test(time)) setPlace({ seconds: Number(time) });
  }
  useEffect(() => {
    if (!present) return;
    setParams(
      (now) => {
        now.delete("play");
        now.delete("t");
        return now;
      },
      { replace: true },
    );
  }, [present, setParams]);
  return { asked, place };
}

type Playable = Pick<Video, "title" | "video_type" | "video_url" | "thumbnail_url" | "duration_seconds"> &
  Partial<Pick<Video, "id" | "hls_url" | "previews_url" | "next" | "captions" | "chapters" | "resume_seconds">>;
type FileEvents = {
  /** Called when the file is loaded and starts to play. */
  onLoaded?: (event: SyntheticEvent<HTMLVideoElement>) => void;
  onBroken?: () => void;
};
type ScreenProps = FileEvents & {
  video: Playable;
  /** Whether to start at once, because a button for it was pressed. */
  playing?: boolean;
  /** The position to play from. */
  place?: Place | null;
  onStart?: () => void;
  /** Saves in the viewer's account where the video was stopped. */
  onPlace?: ((seconds: number) => void) | undefined;
};

export const screenLook = "relative aspect-video overflow-hidden bg-player text-on-player md:rounded-lg";

/** Files play in our own player. Drive and YouTube load only when somebody presses play. */
export function Screen({ video, playing = false, place = null, onStart, onPlace, ...events }: ScreenProps) {
  const [started, setStarted] = useState(playing);
  const [stage, setStage] = useState<HTMLDivElement | null>(null);

  function start() {
    setStarted(true);
    onStart?.();
  }

  return (
    <div ref={setStage} role="group" aria-label="Video player" className={screenLook}>
      {video.video_type === "upload" ? (
        <FilePlayer
          video={video}
          stage={stage}
          started={started}
          playing={playing}
          place={place}
          onPlace={onPlace}
          onStart={start}
          onRefused={() => setStarted(false)}
          {...events}
        />
      ) : started ? (
        <iframe
          src={embedAddress(video)}
          title={video.title}
          sandbox={sandbox}
          allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
          referrerPolicy="strict-origin-when-cross-origin"
          className="size-full border-0"
          // In the dark theme, the frame of a page that did not load would otherwise be white.
          style={{ colorScheme: "light" }}
        />
      ) : (
        <Poster video={video} onPlay={start} />
      )}
    </div>
  );
}

// The frame always has another origin, so it cannot undo its sandbox.
const sandbox =
  "allow-scripts allow-same-origin allow-presentation allow-forms allow-popups allow-popups-to-escape-sandbox";

function embedAddress({ video_type, video_url }: Playable) {
  if (video_type !== "youtube") return video_url;
  const url = new URL(video_url);
  url.searchParams.set("autoplay", "1");
  url.searchParams.set("rel", "0");
  return url.href;
}

type FilePlayerProps = FileEvents & {
  video: Playable;
  stage: HTMLDivElement | null;
  started: boolean;
  playing: boolean;
  place: Place | null;
  onPlace: ((seconds: number) => void) | undefined;
  onStart: () => void;
  /** Called if the browser does not let the video start without a press. */
  onRefused: () => void;
};

function FilePlayer(props: FilePlayerProps) {
  const { video, stage, started, playing, place, onPlace, onStart, onRefused, onLoaded, onBroken } = props;
  const [media, setMedia] = useState<HTMLVideoElement | null>(null);
  const [Controls, setControls] = useState<ComponentType<ControlsProps> | null>(null);
  const { broken, play, native, hls, onError, retry } = useFile(video, media, onBroken);
  const { muted, unmute, soundIsOn } = useAutoplay(media, playing, play, onRefused);
  usePlace(media, place, play);

  // The controls load once somebody presses play. Until then, and without them, the browser shows its own.
  useEffect(() => {
    if (!started) return;
    import("./playback/controls").then(
      (module) => setControls(() => module.default),
      () => undefined,
    );
  }, [started]);

  return (
    <>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- many videos have captions, but not all */}
      <video
        ref={setMedia}
        poster={video.thumbnail_url ?? "/art/placeholder.svg"}
        controls={started && !Controls}
        // Without controls, a video can take the focus only with a tabindex.
        tabIndex={started && !Controls ? undefined : -1}
        playsInline
        preload={video.hls_url ? "none" : "metadata"}
        aria-label={video.title}
        onPlay={onStart}
        onVolumeChange={({ currentTarget }) => currentTarget.muted || soundIsOn()}
        onLoadedMetadata={onLoaded}
        onError={onError}
        className="size-full"
      >
        {started &&
          video.captions?.map(({ language, url }) => (
            <track key={language} kind="captions" srcLang={language} label={captionLabels[language]} src={url} />
          ))}
      </video>
      {!started && !broken && (
        <Poster
          video={video}
          onPlay={() => {
            onStart();
            // If the browser refuses, the controls stay visible. A broken file reports through onError.
            play()?.catch(() => undefined);
            media?.focus();
          }}
        />
      )}
      {started && !broken && Controls && media && stage && (
        <Controls
          video={video}
          media={media}
          stage={stage}
          native={native}
          hls={hls}
          placed={place !== null}
          onPlace={onPlace}
        />
      )}
      {muted && !broken && (
        <Button look="amber" onClick={unmute} className="absolute start-3 top-3">
          Turn the sound on
        </Button>
      )}
      {broken && <Broken address={video.video_url} onRetry={retry} />}
    </>
  );
}

/** Labels for the browser's own controls. */
const captionLabels = { en: "English", he: "עברית", yi: "ייִדיש" };

/** Goes to the requested position, and plays from there. */
function usePlace(media: HTMLVideoElement | null, place: Place | null, play: () => Promise<void> | undefined) {
  const begin = useEffectEvent(play);
  useEffect(() => {
    if (!media || !place) return;
    const go = () => seekTo(media, place.seconds);
    if (media.readyState > 0) go();
    else media.addEventListener("loadedmetadata", go, { once: true });
    begin()?.catch(() => undefined);
    return () => media.removeEventListener("loadedmetadata", go);
  }, [media, place]);
}

function seekTo(media: HTMLVideoElement, seconds: number) {
  media.currentTime = seconds;
}

/** Plays the best form that this browser can play, and falls back to the file that all browsers can play. */
function useFile(video: Playable, media: HTMLVideoElement | null, onBroken?: () => void) {
  const isGone = useIsGone();
  const [broken, setBroken] = useState(false);
  const [native, setNative] = useState(false);
  const [hls, setHls] = useState<Hls | null>(null);
  const begun = useRef(false);
  const stopped = useRef(0);
  useEffect(() => () => hls?.destroy(), [hls]);
  useHlsEarly(media, video);

  // Sets the file in an effect. React may delay an element that is created with a source, and then misses its events.
  const file = video.hls_url ? null : video.video_url;
  useEffect(() => {
    if (media && file) media.setAttribute("src", file);
  }, [media, file]);

  /** Continues in the plain file. There is nothing to fall back to after that. */
  function fallBack(was = media && playbackOf(media)) {
    if (isGone()) return;
    setNative(false);
    setHls(null);
    stopped.current = was?.currentTime || stopped.current;
    if (media && was && media.getAttribute("src") !== video.video_url) return goOnIn(media, video.video_url, was);
    setBroken(true);
    onBroken?.();
  }

  /** Synchronous wherever the browser plays by itself, because a phone lets a video start only during the press. */
  function play(): Promise<void> | undefined {
    if (!media || !video.hls_url || begun.current) return media?.play();
    begun.current = true;
    const method = methodFor(media, video);
    if (method === "hls.js") return playWithHls(media, video.hls_url);
    setNative(method === "native");
    load(media, method === "native" ? video.hls_url : video.video_url);
    return media.play();
  }

  async function playWithHls(element: HTMLVideoElement, url: string) {
    try {
      const { connectHls } = await import("./playback/quality");
      if (isGone()) return;
      const connected = await connectHls(element, url, fallBack);
      if (isGone()) return connected?.destroy();
      setHls(connected);
    } catch {
      fallBack();
    }
    await element.play();
  }

  function retry() {
    setBroken(false);
    begun.current = false;
    const { current: seconds } = stopped;
    if (media && seconds > 0) media.addEventListener("loadedmetadata", () => seekTo(media, seconds), { once: true });
    media?.load();
    play()?.catch(() => undefined);
  }

  return { broken, native, hls, play, retry, onError: () => (hls ? undefined : fallBack()) };
}

/** Loads hls.js where the video needs it, before somebody presses play. */
function useHlsEarly(media: HTMLVideoElement | null, { video_url, hls_url }: Playable) {
  useEffect(() => {
    if (!media || methodFor(media, { video_url, hls_url }) !== "hls.js") return;
    return whenIdle(() => {
      // Pressing play tries again.
      void import("./playback/quality").then(({ loadHls }) => loadHls()).catch(() => undefined);
    });
  }, [media, video_url, hls_url]);
}

/** Tells whether the player has left the page. Without the page, nothing may keep loading or playing. */
function useIsGone() {
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);
  return () => gone.current;
}

const Broken = ({ address, onRetry }: { address: string; onRetry: () => void }) => (
  <div
    role="alert"
    className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-player p-4 text-center"
  >
    <Icon name="alert" className="size-8" />
    <p className="font-head text-xl">This video could not be played</p>
    <div className="flex flex-wrap justify-center gap-3">
      <Button look="amber" icon="refresh" onClick={onRetry}>
        Retry
      </Button>
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        className={buttonLook("line", "border-on-player! text-on-player! hover:bg-transparent!")}
      >
        Open the file
      </a>
    </div>
  </div>
);

/** Starts the video once: with sound if the browser allows it, or else muted. */
function useAutoplay(
  player: HTMLVideoElement | null,
  playing: boolean,
  play: () => Promise<void> | undefined,
  onRefused: () => void,
) {
  const [muted, setMuted] = useState(false);
  const refused = useEffectEvent(onRefused);
  const begin = useEffectEvent(play);

  useEffect(() => {
    if (!playing || !player) return;
    const notAllowed = (error: unknown) => error instanceof DOMException && error.name === "NotAllowedError";
    begin()?.catch((error: unknown) => {
      if (!notAllowed(error)) return;
      setMutedOf(player, true);
      player.play().then(
        () => setMuted(true),
        (again: unknown) => {
          setMutedOf(player, false);
          if (notAllowed(again)) refused();
        },
      );
    });
  }, [player, playing]);

  function unmute() {
    setMuted(false);
    if (!player) return;
    setMutedOf(player, false);
    player.focus();
  }

  return { muted, unmute, soundIsOn: () => setMuted(false) };
}

function setMutedOf(media: HTMLVideoElement, muted: boolean) {
  media.muted = muted;
}

const sources = { upload: null, google_drive: "Plays from Google Drive", youtube: "Plays from YouTube" };

function Poster({ video, onPlay }: { video: Playable; onPlay: () => void }) {
  const source = sources[video.video_type];
  return (
    <button type="button" onClick={onPlay} className="absolute inset-0 size-full focus-visible:-outline-offset-4">
      <span className="sr-only">
        Play <InlineTitle>{video.title}</InlineTitle>
      </span>
      <Thumbnail url={video.thumbnail_url} eager />
      <PlayMark large />
      {source && (
        <Badge tone="dark" className="absolute start-3 bottom-3">
          {source}
        </Badge>
      )}
      {video.duration_seconds != null && (
        <Badge tone="dark" className="absolute end-3 bottom-3">
          {duration(video.duration_seconds)}
        </Badge>
      )}
    </button>
  );
}
