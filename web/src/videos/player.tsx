import { useEffect, useEffectEvent, useRef, useState, type SyntheticEvent } from "react";
import { Link, useSearchParams } from "react-router";
import type { Video } from "../api/client";
import { duration } from "../lib/format";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { Button, buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";
import { countView } from "./queries";
import { Thumbnail } from "./thumbnail";
import { PlayMark } from "./video-card";

/** A video of the portal, whose views are counted. */
export function Player({ video }: { video: Video }) {
  const counted = useRef(false);
  const playing = usePlayParameter() && video.video_type === "upload";
  const [started, setStarted] = useState(false);

  function start() {
    setStarted(true);
    if (counted.current) return;
    counted.current = true;
    // A view that could not be counted is ignored.
    countView(video.id).catch(() => undefined);
  }

  return (
    <>
      <Screen video={video} playing={playing} onStart={start} />
      {started && video.video_type !== "upload" && <EmbedHelp video={video} />}
    </>
  );
}

/** A frame of another site does not tell whether it plays: networks block them, and films are taken down there. */
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

/** Whether the address asked to play. It is taken out, so that a reload or Back does not start the video again. */
function usePlayParameter() {
  const [params, setParams] = useSearchParams();
  const [asked] = useState(params.has("play"));
  const present = params.has("play");
  useEffect(() => {
    if (!present) return;
    setParams(
      (now) => {
        now.delete("play");
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [present, setParams]);
  return asked;
}

type Playable = Pick<Video, "title" | "video_type" | "video_url" | "thumbnail_url" | "duration_seconds">;
type FileEvents = {
  /** The file is loaded and starts to play. */
  onLoaded?: (event: SyntheticEvent<HTMLVideoElement>) => void;
  onBroken?: () => void;
};
type ScreenProps = FileEvents & {
  video: Playable;
  /** Starts at once, because a button for it was pressed. */
  playing?: boolean;
  onStart?: () => void;
};

/** Files play in the browser's own player; Drive and YouTube are loaded only when somebody presses play. */
export function Screen({ video, playing = false, onStart, ...events }: ScreenProps) {
  const [started, setStarted] = useState(playing);

  function start() {
    setStarted(true);
    onStart?.();
  }

  return (
    <div className="relative aspect-video overflow-hidden bg-player text-on-player md:rounded-lg">
      {video.video_type === "upload" ? (
        <FilePlayer
          video={video}
          started={started}
          playing={playing}
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
          // In the dark, the frame of a page that was not loaded would be white.
          style={{ colorScheme: "light" }}
        />
      ) : (
        <Poster video={video} onPlay={start} />
      )}
    </div>
  );
}

// The frame is always of another origin, so that it cannot undo its sandbox.
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
  started: boolean;
  playing: boolean;
  onStart: () => void;
  /** The browser does not let the video start without a press. */
  onRefused: () => void;
};

function FilePlayer({ video, started, playing, onStart, onRefused, onLoaded, onBroken }: FilePlayerProps) {
  const [broken, setBroken] = useState(false);
  const { player, muted, unmute, soundIsOn } = useAutoplay(playing, onRefused);

  function retry() {
    setBroken(false);
    player.current?.load();
    play();
  }

  function play() {
    // A refusal leaves the controls visible; a broken file reports through onError.
    player.current?.play()?.catch(() => undefined);
  }

  return (
    <>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- the camp's videos come without captions */}
      <video
        ref={player}
        src={video.video_url}
        poster={video.thumbnail_url ?? "/art/placeholder.svg"}
        controls={started}
        // Without controls a video takes the focus only with a tabindex.
        tabIndex={started ? undefined : -1}
        playsInline
        preload="metadata"
        aria-label={video.title}
        onPlay={onStart}
        onVolumeChange={({ currentTarget }) => currentTarget.muted || soundIsOn()}
        onLoadedMetadata={onLoaded}
        onError={() => {
          setBroken(true);
          onBroken?.();
        }}
        className="size-full"
      />
      {!started && !broken && (
        <Poster
          video={video}
          onPlay={() => {
            onStart();
            play();
            player.current?.focus();
          }}
        />
      )}
      {muted && !broken && (
        <Button look="amber" onClick={unmute} className="absolute start-3 top-3">
          Turn the sound on
        </Button>
      )}
      {broken && (
        <div
          role="alert"
          className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-player p-4 text-center"
        >
          <Icon name="alert" className="size-8" />
          <p className="font-head text-xl">This video could not be played</p>
          <div className="flex flex-wrap justify-center gap-3">
            <Button look="amber" icon="refresh" onClick={retry}>
              Retry
            </Button>
            <a
              href={video.video_url}
              target="_blank"
              rel="noreferrer"
              className={buttonLook("line", "border-on-player! text-on-player! hover:bg-transparent!")}
            >
              Open the file
            </a>
          </div>
        </div>
      )}
    </>
  );
}

/** Starts the video once: with sound if the browser allows it, otherwise muted. */
function useAutoplay(playing: boolean, onRefused: () => void) {
  const player = useRef<HTMLVideoElement>(null);
  const [muted, setMuted] = useState(false);
  const refused = useEffectEvent(onRefused);

  useEffect(() => {
    const video = player.current;
    if (!playing || !video) return;
    const notAllowed = (error: unknown) => error instanceof DOMException && error.name === "NotAllowedError";
    video.play()?.catch((error: unknown) => {
      if (!notAllowed(error)) return;
      video.muted = true;
      video.play().then(
        () => setMuted(true),
        (again: unknown) => {
          video.muted = false;
          if (notAllowed(again)) refused();
        },
      );
    });
  }, [playing]);

  function unmute() {
    setMuted(false);
    if (!player.current) return;
    player.current.muted = false;
    player.current.focus();
  }

  return { player, muted, unmute, soundIsOn: () => setMuted(false) };
}

const sources = { upload: null, google_drive: "Plays from Google Drive", youtube: "Plays from YouTube" };

function Poster({ video, onPlay }: { video: Playable; onPlay: () => void }) {
  const source = sources[video.video_type];
  return (
    <button type="button" onClick={onPlay} className="absolute inset-0 size-full focus-visible:-outline-offset-4">
      <span className="sr-only">
        Play <bdi>{video.title}</bdi>
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
