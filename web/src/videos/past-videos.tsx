import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { startTransition, useDeferredValue, useOptimistic, useState } from "react";
import { useFilters } from "../lib/filters";
import { count, number } from "../lib/format";
import { LoadMore } from "../lib/load-more";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";
import { EmptyState, ErrorState, Skeleton } from "../ui/states";
import { firstVideos, foundQuery, videosQuery, yearsQuery } from "./queries";
import { SearchRow } from "./search-row";
import { VideoCard } from "./video-card";
import { videoGrid, VideoGridShell, VideoGridSkeleton } from "./video-grid";
import "../ui/more-icons";

type View = "years" | "all";

const viewing = {
  parameter: "view",
  label: "View",
  options: [
    { value: "years", label: "By Year" },
    { value: "all", label: "All Videos" },
  ],
} as const;

export default function PastVideos() {
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const view: View = params.get("view") === "all" ? "all" : "years";
  const years = useQuery(yearsQuery);

  return (
    <div className="wrap pt-8">
      <PageMeta title="Gallery" description="Videos of past summers at camp, year by year." />
      <h1>Gallery</h1>
      <SearchRow {...viewing} term={term} value={view} set={set} />

      {years.data ? (
        years.data.items.length === 0 ? (
          <EmptyState title="No archived videos available yet" picture="/art/placeholder.svg">
            <Link to={paths.currentVideos} className={buttonLook("line")}>
              View All Current Videos
            </Link>
          </EmptyState>
        ) : term ? (
          <SearchResults term={term} onClear={() => set({ q: "" })} />
        ) : view === "all" ? (
          <>
            <h2 className="mb-5">
              All Gallery Videos ({number(years.data.items.reduce((sum, summer) => sum + summer.count, 0))})
            </h2>
            <VideoList />
          </>
        ) : (
          <Summers summers={years.data.items} opened={params.get("open")} onOpened={(open) => set({ open }, true)} />
        )
      ) : years.isError ? (
        <ErrorState
          title="The gallery could not be loaded"
          error={years.error}
          retrying={years.isFetching}
          onRetry={years.refetch}
        />
      ) : term || view === "all" ? (
        <HeadedSkeleton />
      ) : (
        <div className={accordionLook}>
          <div className={summaryLook}>
            <Skeleton className="h-6 w-48" />
          </div>
          <div className={summerLook}>
            <VideoGridSkeleton cards={firstVideos} />
          </div>
        </div>
      )}
    </div>
  );
}

/** A list of videos that has a heading. */
const HeadedSkeleton = () => (
  <>
    <Skeleton className="mb-5 h-8 w-64 max-w-full" />
    <VideoGridSkeleton />
  </>
);

/** The page without its videos. */
export const Shell = () => (
  <div className="wrap pt-8">
    <h1>Gallery</h1>
    <SearchRow {...viewing} value="years" />
    <div className={accordionLook}>
      <div className={summaryLook} />
      <div className={summerLook}>
        <VideoGridShell />
      </div>
    </div>
  </div>
);

const accordionLook = "border-t border-line";
const summaryLook = "flex min-h-18 flex-wrap items-center gap-x-4 rounded-sm px-1 hover:bg-sunk";
const summerLook = "pt-3 pb-10";

type SummersProps = {
  summers: { year: number; count: number }[];
  opened: string | null;
  onOpened: (years: string) => void;
};

const none = "none";

/** The URL names the open summers, so that Back from a video restores them. */
function Summers({ summers, opened, onOpened }: SummersProps) {
  const atFirst = String(summers[0]?.year);
  // On a slow phone the page renders some time after a tap has changed the URL. Until then the last tap counts.
  // Otherwise the URL of one tap would close what the next one opened.
  const [years, show] = useOptimistic(opened ?? atFirst);
  const open = years.split(",");

  function toggle(year: string, isOpen: boolean) {
    const next =
      [...open.filter((other) => other !== year && other !== none), ...(isOpen ? [year] : [])].join(",") || none;
    startTransition(() => {
      show(next);
      onOpened(next === atFirst ? "" : next);
    });
  }

  return (
    <div className={accordionLook}>
      {summers.map(({ year, count: videos }, i) => (
        <Summer
          key={year}
          year={year}
          videos={videos}
          eager={i === 0}
          open={open.includes(String(year))}
          onToggle={(isOpen) => toggle(String(year), isOpen)}
        />
      ))}
    </div>
  );
}

type SummerProps = { year: number; videos: number; eager: boolean; open: boolean; onToggle: (open: boolean) => void };

/** One summer of the accordion. Its videos load when it is first opened. */
function Summer({ year, videos, eager, open, onToggle }: SummerProps) {
  const [wanted, setWanted] = useState(open);
  if (open && !wanted) setWanted(true);
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) onToggle(currentTarget.open);
      }}
      className="group border-b border-line"
    >
      <summary className={summaryLook}>
        <Icon name="down" className="text-muted transition-[rotate] group-open:rotate-180" />
        <h2 className="text-xl">Summer {year}</h2>
        <span className="ms-auto text-end text-sm text-muted tabular-nums">{count(videos, "video")}</span>
      </summary>
      <div className={summerLook}>{wanted && <VideoList year={year} expected={videos} eager={eager} />}</div>
    </details>
  );
}

/** A card below the fold is laid out only when it is scrolled near. */
const outOfSight = { contentVisibility: "auto", containIntrinsicSize: "auto 20rem" } as const;

type ListProps = { year?: number; expected?: number; eager?: boolean };

/** While the videos load, shows as many placeholder cards as expected, so that what is below does not shift. */
function VideoList({ year, expected = firstVideos, eager = false }: ListProps) {
  const videos = useInfiniteQuery(videosQuery({ collection: "archive", year }));
  // A summer of sixty cards renders in slices. Between them a phone can scroll and tap.
  const shown = useDeferredValue(videos.data);
  if (videos.isPending || (videos.data && !shown)) return <VideoGridSkeleton cards={Math.min(expected, firstVideos)} />;
  if (!shown) {
    return (
      <ErrorState
        title="The videos could not be loaded"
        error={videos.error}
        retrying={videos.isFetching}
        onRetry={videos.refetch}
      />
    );
  }
  return (
    <>
      <ul className={videoGrid}>
        {shown.map((video, i) => (
          <li key={video.id} style={outOfSight}>
            <VideoCard video={video} eager={eager && i === 0} />
          </li>
        ))}
      </ul>
      <LoadMore label="Load more videos" list={videos} early={shown.length === firstVideos} />
    </>
  );
}

function SearchResults({ term, onClear }: { term: string; onClear: () => void }) {
  const videos = useInfiniteQuery(videosQuery({ collection: "archive", q: term }));
  const found = useQuery(foundQuery(term));
  if (videos.isPending) return <HeadedSkeleton />;
  if (!videos.data) {
    return (
      <ErrorState
        title="The videos could not be loaded"
        error={videos.error}
        retrying={videos.isFetching}
        onRetry={videos.refetch}
      />
    );
  }
  if (videos.data.length === 0) {
    return (
      <EmptyState
        title={
          <>
            No videos found matching "<bdi>{term}</bdi>"
          </>
        }
      >
        <Button look="line" onClick={onClear}>
          Clear Search
        </Button>
      </EmptyState>
    );
  }
  return (
    <>
      {/* The status is around the heading, because inside it the heading would lose its name. */}
      <div role="status">
        <h2 className="mb-5">
          Search Results
          {!videos.hasNextPage ? ` (${videos.data.length})` : found.data ? ` (${number(found.data)})` : ""}
        </h2>
      </div>
      <ul className={videoGrid}>
        {videos.data.map((video) => (
          <li key={video.id}>
            <VideoCard video={video} />
          </li>
        ))}
      </ul>
      <LoadMore label="Load more videos" list={videos} early={videos.data.length === firstVideos} />
    </>
  );
}
