import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore, type TouchEvent } from "react";
import type { Site, VideoCard as Card } from "../api/client";
import { useSite } from "../api/queries";
import { campLocal, campTime, campZone, cardDate, count, duration, longDate } from "../lib/format";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon, type IconName } from "../ui/icon";
import { Skeleton } from "../ui/states";
import { TwoScripts } from "../ui/two-scripts";
import { Thumbnail } from "./thumbnail";
import { PlayMark, VideoFacts } from "./video-card";

type Scene = { name: string; picture: string; tone: "night" | "day"; sizes?: string };

const builtIn: Scene[] = [
  { name: "Campfire at night", picture: "/art/hero-night.svg", tone: "night" },
  { name: "Lake at dawn", picture: "/art/hero-dawn.svg", tone: "day" },
  { name: "Field at noon", picture: "/art/hero-noon.svg", tone: "day" },
];

/** The camp's own pictures, darkened so that the text is readable. */
const own = (pictures: Site["pictures"]["hero"]) =>
  pictures.map(({ url, small_url, width }, i): Scene => ({
    name: `Picture ${i + 1}`,
    picture: url,
    tone: "night",
    sizes: `${small_url ?? url} 1080w, ${url} ${width}w`,
  }));

const scenesOf = (site: Site | undefined) => (site?.pictures.hero.length ? own(site.pictures.hero) : builtIn);

const SceneImage = ({ scene, shown }: { scene: Scene; shown: boolean }) => (
  <img
    src={scene.picture}
    srcSet={scene.sizes}
    sizes="100vw"
    alt=""
    fetchPriority={shown ? "high" : "low"}
    className={cx("hero-art transition-opacity duration-700", !shown && "opacity-0")}
  />
);

const sceneLasts = 30_000;

/** The hero without the video. */
export function HeroShell() {
  const [scene] = scenesOf(useSite());
  return (
    scene && (
      <div className="hero" data-tone={scene.tone}>
        <SceneImage scene={scene} shown />
      </div>
    )
  );
}

/** Keeps the last two words together, so that no word is alone on the second line. */
function TwoLines({ children }: { children: string }) {
  const words = children.split(" ");
  return (
    <>
      {words.slice(0, -2).join(" ")} <span className="whitespace-nowrap">{words.slice(-2).join(" ")}</span>
    </>
  );
}

/** The camp's pictures, with the newest video on top. */
export function Hero({ promise, waiting }: { promise: Promised | null; waiting: boolean }) {
  const site = useSite();
  const scenes = scenesOf(site);
  const carousel = useCarousel(scenes);
  const headline = promise?.headline ?? (waiting ? "Tonight at camp." : "Summer, night by night.");

  return (
    <section
      aria-roledescription="carousel"
      aria-label="Camp through the day"
      data-tone={scenes[carousel.at]?.tone}
      className="hero"
      onTouchStart={carousel.touch}
      onTouchEnd={carousel.release}
    >
      {scenes.map((scene, i) => (
        <SceneImage key={scene.name} scene={scene} shown={i === carousel.at} />
      ))}
      <div className="hero-grid wrap">
        <div className="hero-top">
          <div className="hero-text">
            <p className="hero-eyebrow">{site ? longDate(site.today).replace(/, \d+$/, "") : "\u00a0"}</p>
            {/* Each headline is a new element, so that the words of one never move into the places of another. */}
            <h1 key={headline} className="min-h-[2lh]">
              <TwoLines>{headline}</TwoLines>
            </h1>
            {waiting ? (
              <Skeleton className="hero-lede min-h-[1lh] w-3/4" />
            ) : (
              <p className="hero-lede">
                {promise?.lede ?? site?.site_description ?? "A friendly hub for daily updates and progress reports."}
              </p>
            )}
          </div>
          {promise ? <Tonight video={promise.video} when={promise.when} /> : waiting && <TonightSkeleton />}
        </div>
        <div className="hero-acts">
          <Link
            to={paths.currentVideos}
            className={buttonLook("amber", "max-md:px-3 max-md:bg-pine! max-md:text-on-pine!")}
          >
            {"View Today's Report"}
          </Link>
          <Link
            to={paths.about}
            className={buttonLook("line", "max-md:px-3 md:border-current! md:bg-(--scene-veil)! md:text-(--on-scene)!")}
          >
            Learn More<span className="sr-only"> about the camp</span>
          </Link>
        </div>
        <Controls {...carousel} />
      </div>
    </section>
  );
}

function Tonight({ video, when }: { video: Card; when: string }) {
  return (
    <article className="hero-card group">
      <div className="relative aspect-video overflow-hidden rounded-md bg-sunk">
        <Thumbnail
          url={video.thumbnail_url}
          eager
          className="transition-[scale] duration-300 group-hover:scale-[1.025]"
        />
        {video.latest && (
          <Badge tone="new" className="absolute start-3 top-3">
            Latest
          </Badge>
        )}
        {!video.restricted && <PlayMark large />}
        {video.duration_seconds != null && (
          <Badge tone="dark" className="absolute end-2.5 bottom-2.5">
            {duration(video.duration_seconds)}
          </Badge>
        )}
      </div>
      <div className="px-2 pt-3 pb-2 md:px-3 md:pt-4">
        <h2 className="text-xl">
          <Link
            to={video.restricted ? paths.video(video.id) : paths.play(video.id)}
            className="text-inherit no-underline after:absolute after:inset-0 after:rounded-lg"
          >
            <TwoScripts>{video.title}</TwoScripts>
          </Link>
        </h2>
        <VideoFacts video={video} when={when} />
      </div>
    </article>
  );
}

const TonightSkeleton = () => (
  <div className="hero-card" aria-hidden="true">
    <Skeleton className="aspect-video rounded-md" />
    <div className="grid gap-3 px-3 pt-4 pb-2">
      <Skeleton className="h-6 w-2/3" />
      <Skeleton className="w-1/2" />
    </div>
  </div>
);

type Carousel = ReturnType<typeof useCarousel>;

function Controls({ at, show, paused, setPaused, still, scenes }: Carousel) {
  if (scenes.length < 2) return null;
  return (
    <div className="hero-controls">
      {!still && (
        <Control
          icon={paused ? "play" : "pause"}
          label={paused ? "Play" : "Pause"}
          onClick={() => setPaused(!paused)}
        />
      )}
      <Control icon="previous" label="Previous scene" onClick={() => show(at - 1)} />
      {scenes.map((scene, i) => (
        <button
          key={scene.name}
          type="button"
          aria-label={scene.name}
          aria-current={i === at}
          onClick={() => show(i)}
          className="hero-dot"
        />
      ))}
      <Control icon="next" label="Next scene" onClick={() => show(at + 1)} />
    </div>
  );
}

const Control = ({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) => (
  <button
    type="button"
    aria-label={label}
    onClick={onClick}
    className="grid size-tap place-items-center rounded-full hover:bg-current/12"
  >
    <Icon name={icon} />
  </button>
);

function useCarousel(scenes: Scene[]) {
  const still = useSyncExternalStore(listenToMotion, () => reducedMotion().matches);
  const [at, setAt] = useState(0);
  const [paused, setPaused] = useState(false);
  const touchedAt = useRef<{ x: number; y: number }>(undefined);

  const show = (i: number) => setAt((i + scenes.length) % scenes.length);
  const advance = useEffectEvent(() => document.hidden || show(at + 1));

  // Restarts with each scene, so that a scene chosen by hand stays for its full time.
  useEffect(() => {
    if (paused || still) return;
    const timer = setInterval(() => advance(), sceneLasts);
    return () => clearInterval(timer);
  }, [paused, still, at]);

  return {
    at,
    show,
    paused,
    setPaused,
    still,
    scenes,
    touch: ({ touches }: TouchEvent) => {
      const finger = touches[0];
      touchedAt.current = finger && { x: finger.clientX, y: finger.clientY };
    },
    release: ({ changedTouches, currentTarget }: TouchEvent) => {
      const finger = changedTouches[0];
      if (!finger || !touchedAt.current) return;
      const [x, y] = [finger.clientX - touchedAt.current.x, finger.clientY - touchedAt.current.y];
      if (Math.abs(x) < 48 || Math.abs(x) < 2 * Math.abs(y)) return;
      const forward = getComputedStyle(currentTarget).direction === "rtl" ? x > 0 : x < 0;
      show(forward ? at + 1 : at - 1);
    },
  };
}

const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)");

function listenToMotion(listener: () => void) {
  const query = reducedMotion();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

type Promised = { video: Card; headline: string; when: string; lede: string };

/** How the hero announces the newest video: as tonight's, last night's, or the latest. */
export function announcementOf(
  video: Card,
  { timezone, current_year }: Pick<Site, "timezone" | "current_year">,
  now = new Date(),
): Promised {
  const minutes = Math.round((video.duration_seconds ?? 0) / 60);
  const lede = `${minutes > 0 ? count(minutes, "minute") : "News"} from camp, for everyone who stayed home.`;
  const latest = { video, headline: "The latest from camp.", when: cardDate(video.upload_date, current_year), lede };
  // Videos of earlier summers are not news, whenever they are added (decision V3).
  if (!video.published_at || !video.upload_date.startsWith(`${current_year}-`)) return latest;

  const published = campLocal(video.published_at, timezone);
  const time = campTime(video.published_at, timezone) + campZone(video.published_at, timezone);
  const evening = published.time >= "17:00";
  const dayOf = (moment: number) => campLocal(new Date(moment).toISOString(), timezone).date;

  if (published.date === dayOf(now.getTime())) {
    return evening
      ? { ...latest, headline: "Tonight’s video is up.", when: `Tonight, ${time}` }
      : { ...latest, headline: "Today’s video is up.", when: `Today, ${time}` };
  }
  if (published.date === dayOf(now.getTime() - 86_400_000)) {
    return evening
      ? { ...latest, headline: "Last night’s video is here.", when: `Last night, ${time}` }
      : { ...latest, headline: "Yesterday’s video is here.", when: `Yesterday, ${time}` };
  }
  return latest;
}
