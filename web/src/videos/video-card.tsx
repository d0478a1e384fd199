import type { VideoCard as Card } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { cardDate, count, duration } from "../lib/format";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { cx } from "../ui/class-names";
import { directionOf } from "../ui/direction";
import { Icon } from "../ui/icon";
import { Skeleton } from "../ui/states";
import { TwoScripts } from "../ui/two-scripts";
import { Thumbnail } from "./thumbnail";

type Look = "plain" | "featured" | "small";
type Props = { video: Card; look?: Look; heading?: "h2" | "h3"; eager?: boolean };

export const pictureLook = "relative mb-3 aspect-video overflow-hidden rounded-md bg-sunk";

const titleSize: Record<Look, string> = { plain: "text-[1.25rem]", featured: "text-2xl", small: "text-lg" };

export function VideoCard({ video, look = "plain", heading: Heading = "h3", eager = false }: Props) {
  const description = video.restricted ? null : video.description || "No description available";
  return (
    <article className="group relative">
      <div className={pictureLook}>
        <Thumbnail
          url={video.thumbnail_url}
          eager={eager}
          className="transition-[scale] duration-300 group-hover:scale-[1.025]"
        />
        <div className="absolute start-3 end-3 top-3 flex flex-wrap gap-2">
          {video.latest && <Badge tone="new">Latest</Badge>}
          {video.is_new && <Badge tone="dark">New to you</Badge>}
          {video.archive && <Badge tone="dark">Archive</Badge>}
        </div>
        {video.duration_seconds != null && (
          <Badge tone="dark" className="absolute end-2.5 bottom-2.5">
            {duration(video.duration_seconds)}
          </Badge>
        )}
        {!video.restricted && (
          <PlayMark className="opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100" />
        )}
      </div>
      <Heading className={titleSize[look]}>
        {/* The whole card is the link's target. Its accessible name is only the title. */}
        <Link
          to={paths.video(video.id)}
          className="text-inherit no-underline after:absolute after:inset-0 after:rounded-md group-hover:[&_.title-first]:underline [&_.title-first]:decoration-1 [&_.title-first]:underline-offset-[0.18em]"
        >
          <TwoScripts>{video.title}</TwoScripts>
        </Link>
      </Heading>
      {description && look !== "small" && (
        <p
          dir={directionOf(description)}
          className={cx(
            "mt-1.5 me-auto line-clamp-2 max-w-[60ch] text-muted",
            look === "featured" && "md:line-clamp-3",
          )}
        >
          {description}
        </p>
      )}
      <VideoFacts video={video} small={look === "small"} />
    </article>
  );
}

export function VideoFacts({ video, when, small = false }: { video: Card; when?: string; small?: boolean }) {
  const site = useSite();
  const { user } = useSession();
  return (
    <p
      className={cx(
        "mt-2 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted tabular-nums",
        !small && "lg:gap-x-4 lg:text-sm",
        // Everything is on one line, and what does not fit is hidden. Small cards, two per row on a phone, use a second
        // line.
        !small && !video.restricted && "h-[1lh] overflow-hidden",
      )}
    >
      <time dateTime={video.upload_date}>{when ?? cardDate(video.upload_date, site?.current_year ?? video.year)}</time>
      {video.restricted ? (
        <span className="inline-flex items-center gap-1.5">
          <Icon name="lock" className="size-[1.1em]" />
          {user ? "For families of the camp" : "Sign in to watch"}
        </span>
      ) : (
        <Counts video={video} />
      )}
    </p>
  );
}

export const Counts = ({ video }: { video: Card }) => (
  <>
    <span className="inline-flex items-center gap-1.5">
      <Icon name="eye" className="size-[1.1em]" />
      {count(video.view_count, "read")}
    </span>
    <span className="inline-flex items-center gap-1.5">
      <Icon name="talk" className="size-[1.1em]" />
      {count(video.comment_count, "comment")}
    </span>
  </>
);

export const PlayMark = ({ large = false, className }: { large?: boolean; className?: string }) => (
  <span
    aria-hidden="true"
    className={cx(
      "pointer-events-none absolute inset-0 m-auto grid place-items-center rounded-full bg-amber text-on-amber",
      large ? "size-16 shadow-[0_0_0_8px_oklch(0.81_0.138_76/0.28)] md:size-18" : "size-12",
      className,
    )}
  >
    <Icon name="play" filled className={large ? "ms-1 size-7.5" : "ms-0.5 size-5"} />
  </span>
);

export const VideoCardSkeleton = () => (
  <div>
    <Skeleton className="mb-3 aspect-video rounded-md" />
    <Skeleton className="h-5 w-3/4" />
    <Skeleton className="mt-3 w-1/2" />
  </div>
);
