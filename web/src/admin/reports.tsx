import { useRef, useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import type { AdminVideo } from "../api/client";
import { useSite } from "../api/queries";
import { PageMeta } from "../lib/page";
import { Button, buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { SearchBox } from "../ui/search-box";
import { Segmented } from "../ui/segmented";
import { EmptyState, ErrorState, LoadMore } from "../ui/states";
import { everyQuarterMinute, useEvery } from "./attention";
import { DeleteDialog } from "./delete-dialog";
import { EditDrawer } from "./edit-drawer";
import { NotRefreshed } from "./not-refreshed";
import { countsQuery, deskQuery, foundQuery, type VideoStatus } from "./queries";
import { ReportRow, ReportsSkeleton } from "./report-row";
import { UploadForm } from "./upload-form";
import { VideoDrawer } from "./video-drawer";
import { statusName } from "./words";

type Open = { what: "edit" | "delete" | "more"; video: AdminVideo } | null;

const statuses: readonly VideoStatus[] = ["published", "scheduled", "draft"];

export default function Reports() {
  const site = useSite();
  const [params, setParams] = useSearchParams();
  const term = params.get("q")?.trim() ?? "";
  const status = statuses.find((one) => one === params.get("status"));
  const uploading = params.get("action") === "upload";
  const refetchInterval = useEvery(everyQuarterMinute);
  const counts = useQuery({ ...countsQuery, refetchInterval }).data;
  const found = useQuery({ ...foundQuery(term), enabled: Boolean(term) });
  const videos = useInfiniteQuery({
    ...deskQuery({ ...(term ? { q: term } : {}), ...(status ? { status } : {}) }),
    // A scheduled video becomes a published one by itself.
    refetchInterval,
  });
  const [open, setOpen] = useState<Open>(null);
  const [uploads, setUploads] = useState(0);
  const [everOpened, setEverOpened] = useState(uploading);
  const toggle = useRef<HTMLButtonElement>(null);
  const [uploaded, setUploaded] = useState(false);
  if (uploading && !everOpened) setEverOpened(true);
  // An empty form for the next one, once this one is folded away.
  if (uploaded && !uploading) {
    setUploaded(false);
    setUploads((n) => n + 1);
  }

  const set = (key: string, value: string) =>
    setParams((now) => {
      if (value) now.set(key, value);
      else now.delete(key);
      return now;
    }, { replace: true });

  function closeUpload() {
    set("action", "");
    toggle.current?.focus();
  }

  const timeZone = site?.timezone ?? "UTC";
  const shown = videos.data?.length ?? 0;

  return (
    <>
      <PageMeta title="Report Management" description="Upload and manage daily progress reports" />
      <div className="mb-6 flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <div>
          <h1 className="text-2xl">Report Management</h1>
          <p className="mt-1 text-muted">Upload and manage daily progress reports</p>
        </div>
        <button
          ref={toggle}
          type="button"
          aria-expanded={uploading}
          onClick={() => set("action", uploading ? "" : "upload")}
          className={buttonLook("main", "max-sm:w-full")}
        >
          <Icon name={uploading ? "close" : "up"} />
          Upload New Report
        </button>
      </div>

      {everOpened && (
        <UploadForm
          key={uploads}
          open={uploading}
          onCancel={closeUpload}
          onDone={() => {
            setUploaded(true);
            closeUpload();
          }}
        />
      )}

      <div className="mb-4 flex flex-wrap gap-3">
        <SearchBox
          label="Search videos"
          placeholder="Search videos by title, description, type, or date..."
          value={term}
          onSearch={(q) => set("q", q)}
          className="flex-[1_1_20rem]"
        />
        <Segmented
          label="Filter by status"
          value={status ?? "all"}
          options={[
            { value: "all", label: "All", note: counts?.all },
            { value: "published", label: "Published", note: counts?.published },
            { value: "scheduled", label: "Scheduled", note: counts?.scheduled },
            { value: "draft", label: "Drafts", note: counts?.draft },
          ]}
          onChange={(next) => set("status", next === "all" ? "" : next)}
          className="max-sm:w-full max-sm:[&>button]:px-2"
        />
      </div>

      <h2 className="sr-only">Videos</h2>
      <p role="status" className={cx("text-sm text-muted", term && "mb-3")}>
        {term && videos.data && !videos.isPlaceholderData && (
          <>Found {videos.hasNextPage ? (found.data?.[status ?? "all"] ?? `${shown}+`) : shown} video(s) matching "<bdi>{term}</bdi>"</>
        )}
      </p>
      {videos.data ? (
        <>
          {videos.isError && <NotRefreshed what="list" retrying={videos.isFetching} onRetry={videos.refetch} />}
          {shown > 0 ? (
            <div aria-busy={videos.isPlaceholderData} className={cx(videos.isPlaceholderData && "opacity-60")}>
              <ul className="sheet overflow-clip">
                {videos.data.map((video) => (
                  <ReportRow
                    key={video.id}
                    video={video}
                    timeZone={timeZone}
                    onEdit={() => setOpen({ what: "edit", video })}
                    onDelete={() => setOpen({ what: "delete", video })}
                    onMore={() => setOpen({ what: "more", video })}
                  />
                ))}
              </ul>
              {videos.hasNextPage && <LoadMore label="Load more videos" busy={videos.isFetchingNextPage} onMore={videos.fetchNextPage} />}
            </div>
          ) : term ? (
            <EmptyState title="No videos found">
              <Button look="line" onClick={() => set("q", "")}>Clear Search</Button>
            </EmptyState>
          ) : status ? (
            <EmptyState title={status === "draft" ? "No drafts" : `No ${statusName[status].toLowerCase()} videos`} picture="/art/placeholder.svg">
              <Button look="line" onClick={() => set("status", "")}>Show all videos</Button>
            </EmptyState>
          ) : (
            <EmptyState title="No videos uploaded yet" text="The first one can be a link to Google Drive or YouTube." picture="/art/placeholder.svg">
              <Button icon="up" onClick={() => set("action", "upload")}>Upload First Video</Button>
            </EmptyState>
          )}
        </>
      ) : videos.isError ? (
        <ErrorState title="Failed to load videos" error={videos.error} retrying={videos.isFetching} onRetry={videos.refetch} />
      ) : (
        <ReportsSkeleton />
      )}

      {open?.what === "edit" && <EditDrawer video={open.video} timeZone={timeZone} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && <DeleteDialog video={open.video} onClose={() => setOpen(null)} />}
      {open?.what === "more" && <VideoDrawer video={open.video} onClose={() => setOpen(null)} />}
    </>
  );
}
