import { useEffect, useEffectEvent, useState, type SyntheticEvent } from "react";
import { cx } from "../../ui/class-names";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Screen } from "../../videos/player";
import type { VideoType } from "./queries";

/**
 * The result of a preview. `embed` means that another site's player was shown, which does not tell whether the video
 * plays.
 */
type Outcome = "trying" | "plays" | "soundOnly" | "fails" | "late" | "embed";
export type Tried = { url: string; outcome: Outcome };

/** A video that has not started after this many milliseconds counts as failed. */
const startLimit = 15_000;

type Props = {
  video: { video_url: string; video_type: VideoType; thumbnail_url?: string | null };
  onOutcome: (outcome: Outcome) => void;
};

/** Previews a link in the families' player before anything is published. */
export function TryVideo({ video, onOutcome }: Props) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [round, setRound] = useState(0);
  const came = (now: Outcome) => {
    setOutcome(now);
    onOutcome(now);
  };

  function start() {
    setRound(round + 1);
    came(video.video_type === "upload" ? "trying" : "embed");
  }

  const onLate = useEffectEvent(() => came("late"));
  useEffect(() => {
    if (outcome !== "trying") return;
    const timer = setTimeout(() => onLate(), startLimit);
    return () => clearTimeout(timer);
  }, [outcome, round]);

  if (outcome === null) {
    return (
      <Button look="line" icon="play" onClick={start} className="justify-self-start">
        Try it
      </Button>
    );
  }
  const good = outcome === "plays";
  return (
    <div className="grid max-w-[40rem] gap-2">
      <Screen
        key={round}
        video={{
          ...video,
          title: "The video of this link",
          duration_seconds: null,
          thumbnail_url: video.thumbnail_url ?? null,
        }}
        playing
        onLoaded={(event) => came(hasPicture(event, video.video_url) ? "plays" : "soundOnly")}
        onBroken={() => came("fails")}
      />
      <p
        role="status"
        className={cx(
          "flex items-start gap-2 text-sm",
          good ? "text-pine" : outcome === "trying" || outcome === "embed" ? "text-muted" : "text-clay",
        )}
      >
        <Icon
          name={good ? "check" : outcome === "trying" ? "clock" : outcome === "embed" ? "info" : "alert"}
          className="mt-[0.2em]"
        />
        <span>{said(outcome, video.video_type)}</span>
      </p>
      <div className="flex flex-wrap gap-3">
        <Button look="line" icon="refresh" onClick={start}>
          Try again
        </Button>
        <Button look="quiet" onClick={() => setOutcome(null)}>
          Close the player
        </Button>
      </div>
    </div>
  );
}

/** Whether the video has a picture. Browsers play the sound even if they cannot decode the picture. */
function hasPicture({ currentTarget }: SyntheticEvent<HTMLVideoElement>, url: string) {
  return currentTarget.videoWidth > 0 || /\.(mp3|m4a)([?#]|$)/i.test(url);
}

function said(outcome: Outcome, type: VideoType) {
  const advice =
    "Please check that the link opens the file for everyone, without signing in, and that the file is an MP4 (H.264 and AAC).";
  switch (outcome) {
    case "trying":
      return "Loading the video...";
    case "plays":
      return "The video started. This is the player families see.";
    case "soundOnly":
      return "Only the sound plays, without a picture. Please export the video as an MP4 (H.264 and AAC).";
    case "late":
      return `The video has not started after ${startLimit / 1_000} seconds. ${advice}`;
    case "fails":
      return `The video did not start, so families could not watch it. ${advice}`;
    case "embed":
      return type === "youtube"
        ? "This is the player families see. If it says that the video is unavailable, set it to “Unlisted” or “Public” on YouTube and allow embedding."
        : "This is the player families see. If it asks for access or does not play, open the file in Google Drive, choose “Share”, and set it to “Anyone with the link”.";
  }
}

/** Warns beside the button if the preview failed. Publishing is still possible. */
export function TriedNotice({ tried, url }: { tried: Tried | null; url: string }) {
  if (!tried || tried.url !== url.trim() || !["fails", "late", "soundOnly"].includes(tried.outcome)) return null;
  return (
    <p className="flex items-start gap-2 rounded-md bg-clay-wash px-3.5 py-3 text-clay">
      <Icon name="alert" className="mt-[0.15em]" />
      <span>
        {tried.outcome === "soundOnly"
          ? "When you tried this link, only the sound played."
          : "When you tried this link, the video did not start. Families could not watch it."}
      </span>
    </p>
  );
}
