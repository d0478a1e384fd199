import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { everyThirtySeconds, siteQuery, useSite } from "../api/queries";
import { useFilters } from "../lib/filters";
import { campZone } from "../lib/format";
import { LoadMore } from "../lib/load-more";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";
import { EmptyState, ErrorState } from "../ui/states";
import { firstVideos, videosQuery, type Sort } from "./queries";
import { SearchRow } from "./search-row";
import { VideoCard } from "./video-card";
import { videoGrid, VideoGridShell, VideoGridSkeleton } from "./video-grid";
import "../ui/more-icons";

const sorting = {
  parameter: "sort",
  label: "Sort",
  options: [
    { value: "newest", label: "Newest First" },
    { value: "popular", label: "Most Popular" },
  ],
} as const;

export default function CurrentVideos() {
  const site = useQuery({ ...siteQuery, refetchInterval: everyThirtySeconds }).data;
  const [openedAt] = useState(() => new Date().toISOString());
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const sort: Sort = params.get("sort") === "popular" ? "popular" : "newest";
  const videos = useInfiniteQuery(videosQuery({ collection: "current", q: term || undefined, sort }));

  return (
    <div className="wrap pt-8">
      <PageMeta title="This Year Videos" description="This summer's videos from camp, newest first." />
      <Heading postingTime={site?.posting_time_text} zone={site && campZone(openedAt, site.timezone)} />
      <SearchRow {...sorting} term={term} value={sort} set={set} />
      <h2 className="sr-only">Videos</h2>
      {videos.data ? (
        videos.data.length > 0 ? (
          <>
            <ul className={videoGrid}>
              {videos.data.map((video, i) => (
                <li key={video.id}>
                  <VideoCard video={video} eager={i < 3} />
                </li>
              ))}
            </ul>
            <LoadMore label="Load more videos" list={videos} early={videos.data.length === firstVideos} />
          </>
        ) : term ? (
          <EmptyState
            title={
              <>
                No content found matching "<bdi>{term}</bdi>"
              </>
            }
          >
            <Button look="line" onClick={() => set({ q: "" })}>
              Clear Search
            </Button>
          </EmptyState>
        ) : (
          <EmptyState
            title="No videos uploaded for this year yet"
            text="Past summers are in the Gallery."
            picture="/art/placeholder.svg"
          >
            <Link to={paths.pastVideos} className={buttonLook("line")}>
              Go to the Gallery
            </Link>
          </EmptyState>
        )
      ) : videos.isError ? (
        <ErrorState
          title="The videos could not be loaded"
          error={videos.error}
          retrying={videos.isFetching}
          onRetry={videos.refetch}
        />
      ) : (
        <VideoGridSkeleton />
      )}
    </div>
  );
}

/** The page without its videos. */
export const Shell = () => (
  <div className="wrap pt-8">
    <Heading postingTime={useSite()?.posting_time_text} />
    <SearchRow {...sorting} value="newest" />
    <VideoGridShell />
  </div>
);

const Heading = ({ postingTime, zone }: { postingTime: string | undefined; zone?: string }) => (
  <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
    <h1>This Year Videos</h1>
    <aside aria-label="Posting time" className="flex items-center gap-3 rounded-md bg-pine-wash px-4 py-2.5">
      <Icon name="clock" className="size-6 text-pine" />
      <p className="leading-snug">
        <strong className="block font-medium">New Videos Daily!</strong>
        <span className="text-sm">{postingTime}</span>
        <span className="text-sm">{zone}</span>
      </p>
    </aside>
  </div>
);
