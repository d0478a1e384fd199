import type { ReactNode } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { isApiError, type ApiError, type Video } from "../api/client";
import { boot } from "../api/boot";
import { useSession, useSite } from "../api/queries";
import { duration, longDate } from "../lib/format";
import { accessMessage } from "../lib/access-message";
import { Link, useParams, usePathname, useSearch } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { directionOf } from "../ui/direction";
import { Icon } from "../ui/icon";
import { OwnLines } from "../ui/own-lines";
import { ErrorState, Skeleton } from "../ui/states";
import { splitScripts, TwoScripts } from "../ui/two-scripts";
import { LikeButton, ShareButtons } from "./actions";
import { Player, screenLook } from "./player";
import { videoQuery, videosQuery } from "./queries";
import { FirstThumbnail } from "./thumbnail";
import { Counts, VideoCard } from "./video-card";

export function VideoPage({ comments }: { comments: (video: Video) => ReactNode }) {
  const { id = "" } = useParams();
  const video = useQuery(videoQuery(id));

  // A refusal replaces what was shown before.
  if (isApiError(video.error, "sign_in_required", "families_only", "awaiting_approval"))
    return <Gate error={video.error} />;
  if (isApiError(video.error) && [400, 404, 410, 422].includes(video.error.status)) return <NotFound />;
  if (video.data) return <Found key={video.data.id} video={video.data} comments={comments(video.data)} />;
  if (video.isError) {
    return (
      <div className="wrap grid gap-4 pt-8">
        <PageMeta title="Video" description="A video from camp." />
        <BackLink />
        <ErrorState
          title="The video could not be loaded"
          error={video.error}
          retrying={video.isFetching}
          onRetry={video.refetch}
        />
        <p className="text-center">
          <Link to={paths.home} className="link">
            Return to Home
          </Link>
        </p>
      </div>
    );
  }
  return <LoadingVideo />;
}

/** The page before it has the video. It shows the video's picture, if everybody may see it. */
export function VideoShell() {
  const { picture } = boot();
  if (!picture) return null;
  return (
    <div className="wrap">
      <BackLink />
      <div className={watchGrid}>
        <div className={frameLook}>
          <div className={screenLook}>
            <FirstThumbnail url={picture} />
          </div>
        </div>
      </div>
    </div>
  );
}

const watchGrid = "grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_var(--container-aside)]";

function Found({ video, comments }: { video: Video; comments: ReactNode }) {
  return (
    <div className="wrap">
      <PageMeta
        title={video.title}
        description={video.description ?? `A video from camp, ${longDate(video.upload_date)}.`}
        image={video.thumbnail_url}
      />
      <BackLink />
      <div className={watchGrid}>
        <article className="min-w-0">
          <div className={frameLook}>
            <Player video={video} />
          </div>
          <p className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted tabular-nums">
            {video.latest && <Badge tone="new">Latest</Badge>}
            {video.archive && <Badge>Archive</Badge>}
            <time dateTime={video.upload_date}>{longDate(video.upload_date)}</time>
          </p>
          <h1 className="mt-2">
            <TwoScripts>{video.title}</TwoScripts>
          </h1>
          <div
            className={cx(
              "my-4 flex flex-wrap gap-2 border-y border-line py-4",
              // Four buttons do not fit side by side on a phone.
              video.download_url && "max-sm:grid max-sm:grid-cols-2",
            )}
          >
            <LikeButton video={video} />
            <ShareButtons title={video.title} />
            {video.download_url && (
              <a href={video.download_url} download className={buttonLook("line", "max-sm:flex-1")}>
                <Icon name="download" />
                Download
              </a>
            )}
          </div>
          <p className={cx(!video.description && "text-muted")}>
            <OwnLines text={video.description || "No description available"} className="max-w-[64ch]" />
          </p>
          <Chapters video={video} />
          <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted tabular-nums">
            <Counts video={video} />
          </p>
          <Neighbors video={video} />
        </article>
        <div className="min-w-0">{comments}</div>
      </div>
      <More video={video} />
    </div>
  );
}

/** Links that play the video from each chapter's start. */
function Chapters({ video: { id, chapters } }: { video: Video }) {
  if (chapters.length === 0) return null;
  return (
    <nav aria-label="Chapters" className="mt-4">
      <h2 className="text-lg">Chapters</h2>
      <ol className="mt-1">
        {chapters.map(({ start_seconds, title }) => (
          <li key={start_seconds}>
            <Link
              to={paths.videoAt(id, start_seconds)}
              className="flex min-h-tap items-center gap-3 text-ink no-underline hover:underline"
            >
              <span className="w-20 shrink-0 text-pine tabular-nums">{duration(start_seconds)}</span>
              <bdi dir={directionOf(title)} className="wrap-anywhere">
                {title}
              </bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const frameLook = "max-md:-mx-gutter";

const BackLink = () => (
  <Link
    to={paths.home}
    className="inline-flex min-h-tap items-center gap-1.5 font-medium text-pine no-underline hover:underline max-md:text-sm md:my-2"
  >
    <Icon name="previous" />
    Back to Videos
  </Link>
);

function Neighbors({ video: { previous, next } }: { video: Video }) {
  if (!previous && !next) return null;
  return (
    <nav aria-label="More videos" className="mt-6 grid gap-3 sm:grid-cols-2">
      {previous ? (
        <Neighbor label="Previous video" icon="previous" video={previous} />
      ) : (
        <span className="max-sm:hidden" />
      )}
      {next && <Neighbor label="Next video" icon="next" video={next} end />}
    </nav>
  );
}

type NeighborProps = { label: string; icon: "previous" | "next"; video: { id: string; title: string }; end?: boolean };

const Neighbor = ({ label, icon, video, end = false }: NeighborProps) => (
  <Link
    to={paths.video(video.id)}
    rel={end ? "next" : "prev"}
    className={cx(
      "flex min-h-tap items-center gap-3 rounded-md border border-line px-3 py-2.5 text-ink no-underline hover:border-edge hover:bg-sunk",
      end && "flex-row-reverse text-end",
    )}
  >
    <Icon name={icon} className="text-muted" />
    <span className="min-w-0 flex-1">
      <span className="block text-xs text-muted">{label}</span>
      {/* Aligned below its label in any script. */}
      <span className="line-clamp-2 font-medium wrap-anywhere">
        <bdi dir={directionOf(splitScripts(video.title)[0])}>{splitScripts(video.title)[0]}</bdi>
      </span>
    </span>
  </Link>
);

/** A few more videos from the same summer. Shows nothing while they load or if loading fails. */
function More({ video }: { video: Video }) {
  const list = useInfiniteQuery(
    videosQuery(
      video.archive ? { collection: "archive", year: video.year } : { collection: "current", sort: "newest" },
    ),
  );
  const others = list.data?.filter(({ id }) => id !== video.id).slice(0, 4) ?? [];
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="more" className="pt-section">
      <div className="mb-5 flex flex-wrap items-end justify-between gap-x-5 gap-y-2">
        <h2 id="more">{video.archive ? `More from Summer ${video.year}` : "More from this summer"}</h2>
        <Link to={video.archive ? paths.pastVideos : paths.currentVideos} className={buttonLook("quiet", "-mx-2.5")}>
          {video.archive ? "Explore Video Archives" : "View All Current Videos"}
        </Link>
      </div>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,max(8rem,40%)),1fr))] gap-x-6 gap-y-8 lg:grid-cols-4">
        {others.map((other) => (
          <li key={other.id}>
            <VideoCard video={other} look="small" />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LoadingVideo() {
  return (
    <div className="wrap">
      {/* Sets no title, because the server has already written the video's title. */}
      <BackLink />
      <h1 className="sr-only">Video</h1>
      <div role="status" className={watchGrid}>
        <div>
          <div className="grid aspect-video place-items-center bg-player text-on-player max-md:-mx-gutter md:rounded-lg">
            Loading video...
          </div>
          <Skeleton className="mt-5 h-4 w-40" />
          <Skeleton className="mt-3 h-9 w-3/4" />
          <Skeleton className="mt-8 h-11 w-72 max-w-full" />
        </div>
        <div className="sheet hidden min-h-96 p-5 lg:block">
          <Skeleton className="h-6 w-32" />
        </div>
      </div>
    </div>
  );
}

function NotFound() {
  return (
    <div className="wrap grid justify-items-center gap-4 pt-section text-center">
      <PageMeta title="Video not found" description="Video not found" />
      <img src="/art/placeholder.svg" alt="" width={640} height={360} className="w-full max-w-md rounded-lg" />
      <h1>Video not found</h1>
      <p className="text-muted">It may have been removed, or the link may be incomplete.</p>
      <Link to={paths.home} className={buttonLook()}>
        Return to Home
      </Link>
    </div>
  );
}

/** Says why a video cannot be watched, and how to get access. */
function Gate({ error }: { error: ApiError }) {
  const pathname = usePathname();
  const search = useSearch();
  const { user } = useSession();
  const site = useSite();
  const title = {
    sign_in_required: "Please sign in to watch",
    families_only: "For families of the camp",
    awaiting_approval: "Waiting for the camp's approval",
  }[error.code];
  return (
    <div className="wrap grid justify-items-center gap-4 pt-section text-center">
      <PageMeta title={title ?? "Video"} description="A video for camp families." />
      <span className="grid size-16 place-items-center rounded-full bg-pine-wash text-pine">
        <Icon name="lock" className="size-8" />
      </span>
      <h1>{title}</h1>
      <p className="max-w-[52ch] text-muted">{accessMessage(error.code, site) ?? error.message}</p>
      <div className="flex flex-wrap justify-center gap-3">
        {user ? (
          <Link to={paths.contact} className={buttonLook()}>
            Write to the camp
          </Link>
        ) : (
          <>
            <Link to={paths.auth(pathname + search)} className={buttonLook()}>
              Sign In
            </Link>
            {site?.registrations_open !== false && (
              <Link to={paths.signUp(pathname + search)} className={buttonLook("line")}>
                Create Account
              </Link>
            )}
          </>
        )}
        <Link to={paths.home} className={buttonLook("line")}>
          Return to Home
        </Link>
      </div>
    </div>
  );
}
