import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../api/client";
import { useSite } from "../../api/queries";
import { useFilters } from "../../lib/filters";
import { count, number, shortDate } from "../../lib/format";
import { LoadMore } from "../../lib/load-more";
import { Button, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { directionOf } from "../../ui/direction";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { errorToast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { DeleteDialog, GalleryDialog, useDialogsSoon } from "./later";
import { Listing } from "../shared/listing";
import { NotRefreshed } from "../shared/not-refreshed";
import { SortSelect, readSort } from "../shared/sort-select";
import { PageHead } from "../shared/page-head";
import { adminVideosQuery, foundQuery, galleryYearsQuery, videoOrders, type VideoOrder } from "./queries";
import { OpenLink, StatusBadge } from "./report-row";
import { VideoTitle } from "../shared/video-title";
import { DropArea } from "./uploads/drop-area";
import { useSendFiles } from "./uploads/send-files";
import { UploadBadges } from "./uploads/upload-badges";

type Order = { sort?: VideoOrder };
type Ask = (what: "edit" | "delete", video: AdminVideo) => void;
type Open = { what: "add"; video: null; file?: string } | { what: "edit" | "delete"; video: AdminVideo } | null;

export default function Gallery() {
  const site = useSite();
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const order = readSort(params, videoOrders);
  const years = useQuery({ ...galleryYearsQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) });
  const [open, setOpen] = useState<Open>(null);
  const add = () => setOpen({ what: "add", video: null });
  const ask: Ask = (what, video) => setOpen({ what, video });
  const { send } = useSendFiles();
  useDialogsSoon();

  async function drop(files: File[]) {
    const { ids, problems } = await send(files);
    problems.forEach((problem) => errorToast(problem));
    // If a form is already open, the form offers the file.
    if (ids[0]) setOpen((before) => before ?? { what: "add", video: null, file: ids[0]! });
  }

  return (
    <>
      <PageHead title="Gallery Management" description="Manage previous years' camp videos">
        <Button icon="plus" onClick={add} className="max-sm:w-full">
          Add Gallery Video
        </Button>
      </PageHead>

      <div className="mb-4 flex flex-wrap gap-3">
        <SearchBox
          label="Search gallery"
          placeholder="Search all summers by title, description, or date..."
          value={term}
          onSearch={(q) => set({ q })}
          className="flex-[1_1_18rem]"
        />
        <div className="max-sm:w-full">
          <SortSelect names={videoOrders} order={order} set={set} />
        </div>
      </div>

      {term ? (
        <FoundVideos term={term} order={order} ask={ask} onClear={() => set({ q: "" })} />
      ) : years.data ? (
        <>
          {years.isError && <NotRefreshed what="gallery" retrying={years.isFetching} onRetry={years.refetch} />}
          {years.data.items.length > 0 ? (
            <div className="grid grid-cols-1 gap-4">
              {years.data.items.map(({ year, count: videos }, i) => (
                <Summer key={year} year={year} videos={videos} startsOpen={i === 0} order={order} ask={ask} />
              ))}
            </div>
          ) : (
            <EmptyState
              title="No Gallery Videos"
              text="Videos of past summers appear here, year by year."
              picture="/art/placeholder.svg"
            >
              <Button icon="plus" onClick={add}>
                Add First Video
              </Button>
            </EmptyState>
          )}
        </>
      ) : years.isError ? (
        <ErrorState
          title="Failed to fetch gallery videos"
          error={years.error}
          retrying={years.isFetching}
          onRetry={years.refetch}
        />
      ) : (
        <Loading label="Loading the gallery" className="grid gap-4">
          <div className="sheet overflow-clip">
            <div className="flex min-h-16 items-center px-4">
              <Skeleton className="h-6 w-48" />
            </div>
            <RowSkeletons rows={most} />
          </div>
        </Loading>
      )}

      {site && open && open.what !== "delete" && (
        <GalleryDialog
          video={open.video}
          {...(open.what === "add" && open.file ? { file: open.file } : {})}
          currentYear={site.current_year}
          timeZone={site.timezone}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.what === "delete" && <DeleteDialog video={open.video} onClose={() => setOpen(null)} />}
      <DropArea onFiles={(files) => void drop(files)} />
    </>
  );
}

/** One summer. Its videos are loaded when it is first opened. */
function Summer({
  year,
  videos,
  startsOpen,
  order,
  ask,
}: {
  year: number;
  videos: number;
  startsOpen: boolean;
  order: Order;
  ask: Ask;
}) {
  const [open, setOpen] = useState(startsOpen);
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group sheet overflow-clip"
    >
      <summary className="flex min-h-16 items-center gap-3 rounded-lg px-4 hover:bg-sunk focus-visible:-outline-offset-3">
        <Icon name="down" className="text-muted transition-[rotate] group-open:rotate-180" />
        <h2 className="text-xl">
          Summer {year}{" "}
          <span className="font-sans text-base font-normal text-muted tabular-nums">({count(videos, "video")})</span>
        </h2>
      </summary>
      {open && <SummerVideos year={year} expected={videos} order={order} ask={ask} />}
    </details>
  );
}

function SummerVideos({ year, expected, order, ask }: { year: number; expected: number; order: Order; ask: Ask }) {
  const videos = useInfiniteQuery({
    ...adminVideosQuery({ collection: "archive", year, ...order }),
    refetchInterval: useRefetchInterval(everyFifteenSeconds),
  });
  if (videos.data) {
    return (
      <div className="border-t border-line">
        <VideoTable caption={`Videos of summer ${year}`} videos={videos.data} ask={ask} />
        <LoadMore label="Load more videos" list={videos} className="py-6" />
      </div>
    );
  }
  if (videos.isError) {
    return (
      <ErrorState
        title="Failed to fetch gallery videos"
        error={videos.error}
        retrying={videos.isFetching}
        onRetry={videos.refetch}
        className="m-4"
      />
    );
  }
  return (
    <Loading label={`Loading summer ${year}`}>
      <RowSkeletons rows={Math.min(expected, most)} />
    </Loading>
  );
}

/** The search results from all summers. */
function FoundVideos({ term, order, ask, onClear }: { term: string; order: Order; ask: Ask; onClear: () => void }) {
  const videos = useInfiniteQuery({
    ...adminVideosQuery({ collection: "archive", q: term, ...order }),
    refetchInterval: useRefetchInterval(everyFifteenSeconds),
  });
  const found = useQuery(foundQuery(term)).data?.archive;
  const shown = videos.data?.length ?? 0;
  return (
    <>
      <h2 className="sr-only">Found videos</h2>
      <p role="status" className="mb-3 text-sm text-muted">
        {videos.data && !videos.isPlaceholderData && (
          <>
            Found {videos.hasNextPage ? (found ?? `${shown}+`) : shown} video(s) matching "<bdi>{term}</bdi>"
          </>
        )}
      </p>
      <Listing
        list={videos}
        what="videos"
        failed="Failed to fetch gallery videos"
        skeleton={
          <Loading label="Loading videos" className="sheet overflow-clip">
            <RowSkeletons rows={6} />
          </Loading>
        }
        empty={
          <EmptyState title="No videos found">
            <Button look="line" onClick={onClear}>
              Clear Search
            </Button>
          </EmptyState>
        }
      >
        {(all) => (
          <div className="sheet overflow-clip">
            <VideoTable caption="Found videos" videos={all} ask={ask} />
          </div>
        )}
      </Listing>
    </>
  );
}

const columns = [
  ["Title", "w-[30%]"],
  ["Description"],
  ["Views", "w-18"],
  ["Upload Date", "w-31"],
  ["Actions", "w-37"],
] as const;

/** Rows become cards on a phone. */
const VideoTable = ({ caption, videos, ask }: { caption: string; videos: AdminVideo[]; ask: Ask }) => (
  <table className="w-full text-start max-md:block md:table-fixed">
    <caption className="sr-only">{caption}</caption>
    <thead className="text-sm text-muted max-md:sr-only">
      <tr className="border-b border-line">
        {columns.map(([name, wide]) => (
          <th key={name} scope="col" className={cx("px-4 py-2.5 text-start font-medium last:text-end", wide)}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody className="max-md:block">
      {videos.map((video) => (
        <VideoLine key={video.id} video={video} ask={ask} />
      ))}
    </tbody>
  </table>
);

/** The number of skeleton rows that fill a screen, so that the summers below do not move. */
const most = 16;

const RowSkeletons = ({ rows }: { rows: number }) => (
  <div className="border-t border-line px-4">
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} className="flex min-h-14 items-center gap-6 border-line not-first:border-t max-md:min-h-28">
        <Skeleton className="h-5 w-1/4" />
        <Skeleton className="flex-1" />
        <Skeleton className="w-24" />
      </div>
    ))}
  </div>
);

function VideoLine({ video, ask }: { video: AdminVideo; ask: Ask }) {
  return (
    <tr className="border-line not-first:border-t max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-4 max-md:p-4">
      <td className="max-md:w-full max-md:min-w-0 md:px-4 md:py-2">
        <span className="me-2 font-head text-[1.08rem] leading-snug font-semibold">
          <VideoTitle>{video.title}</VideoTitle>
        </span>
        <span className="inline-flex flex-wrap gap-1.5">
          {video.status !== "published" && !video.publishes_when_ready && <StatusBadge status={video.status} />}
          <UploadBadges video={video} />
        </span>
      </td>
      <td className="text-sm text-muted max-md:w-full max-md:min-w-0 md:px-4 md:py-2">
        <span dir={directionOf(video.description ?? "No description")} className="line-clamp-2 w-fit wrap-anywhere">
          {video.description || "No description"}
        </span>
      </td>
      <td className="text-sm tabular-nums max-md:text-muted md:px-4 md:py-2">
        {number(video.view_count)}
        <span className="md:sr-only"> {video.view_count === 1 ? "view" : "views"}</span>
      </td>
      <td className="text-sm whitespace-nowrap tabular-nums max-md:text-muted md:px-4 md:py-2">
        <time dateTime={video.upload_date}>{shortDate(video.upload_date)}</time>
      </td>
      <td className="max-md:ms-auto md:px-2 md:py-1">
        <div className="flex justify-end max-md:-me-2">
          <OpenLink video={video} />
          <IconButton icon="edit" label={`Edit ${video.title}`} title="Edit" onClick={() => ask("edit", video)} />
          <IconButton
            icon="trash"
            danger
            label={`Delete ${video.title}`}
            title="Delete"
            onClick={() => ask("delete", video)}
          />
        </div>
      </td>
    </tr>
  );
}
