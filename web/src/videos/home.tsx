import { useQuery } from "@tanstack/react-query";
import type { VideoCard as Card } from "../api/client";
import { useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/states";
import { Hero, announcementOf } from "./hero";
import { homeVideosQuery, newestQuery } from "./home-queries";
import { VideoCard, VideoCardSkeleton } from "./video-card";

/** Tonight's video, and the ones before it. */
export function HomeVideos() {
  const site = useSite();
  const videos = useQuery(homeVideosQuery);
  const newest = useQuery(newestQuery);

  const three = videos.data?.items ?? [];
  const latest = three.find((video) => three.every((other) => !isNewer(other, video)));
  const promise = latest && site ? announcementOf(latest, site) : null;
  // Leaves out the video in the hero, as long as there are three others.
  const others = [...three, ...(newest.data?.items ?? [])]
    .filter(({ id }, i, all) => id !== latest?.id && all.findIndex((video) => video.id === id) === i)
    .slice(0, 3);
  const shown = promise && others.length === 3 ? others : three;
  const waiting = videos.isPending || (three.length === 3 && newest.isPending);

  return (
    <>
      <PageMeta
        title="Home"
        description={site?.site_description || "A friendly hub for daily updates and progress reports."}
        image={latest?.thumbnail_url}
      />
      <Hero promise={promise} waiting={videos.isPending} />

      <section aria-labelledby="latest" className="wrap pt-12 md:pt-section">
        <div className="mb-5 flex flex-wrap items-end justify-between gap-x-5 gap-y-3">
          <h2 id="latest">Latest videos</h2>
          <div className="flex flex-wrap gap-1 -me-2.5 max-md:w-full max-md:text-sm">
            <Link to={paths.currentVideos} className={buttonLook("main", "max-md:px-3")}>
              View All Current Videos
            </Link>
            <Link to={paths.pastVideos} className={buttonLook("quiet")}>
              Explore Video Archives
            </Link>
          </div>
        </div>
        {waiting ? (
          <LatestSkeleton />
        ) : videos.data ? (
          <Latest videos={shown} />
        ) : (
          <ErrorState
            title="The videos could not be loaded"
            error={videos.error}
            retrying={videos.isFetching}
            onRetry={videos.refetch}
          />
        )}
      </section>
    </>
  );
}

/** Among the three, the featured one comes first. */
const isNewer = (a: Card, b: Card) =>
  a.upload_date === b.upload_date
    ? Date.parse(a.published_at ?? "") > Date.parse(b.published_at ?? "")
    : a.upload_date > b.upload_date;

const layout = "grid gap-8 lg:grid-cols-[minmax(0,1fr)_var(--container-aside)]";

function Latest({ videos: [featured, ...others] }: { videos: Card[] }) {
  if (!featured) {
    return (
      <EmptyState title="No videos available yet. Check back soon!" picture="/art/placeholder.svg">
        <Link to={paths.pastVideos} className={buttonLook("line")}>
          Explore Video Archives
        </Link>
      </EmptyState>
    );
  }
  return (
    <div className={layout}>
      <VideoCard video={featured} look="featured" />
      {others.length > 0 && (
        <ul className="grid content-start gap-6 md:max-lg:grid-cols-2 lg:content-between">
          {others.slice(0, 2).map((video) => (
            <li key={video.id}>
              <VideoCard video={video} look="small" />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const LatestSkeleton = () => (
  <Loading label="Loading videos" className={layout}>
    <div>
      <Skeleton className="mb-3 aspect-video rounded-md" />
      <Skeleton className="h-8 w-2/3" />
      <Skeleton className="mt-3 w-5/6" />
      <Skeleton className="mt-3 w-1/3" />
    </div>
    <div className="grid content-start gap-6 md:max-lg:grid-cols-2">
      <VideoCardSkeleton />
      <VideoCardSkeleton />
    </div>
  </Loading>
);
