import { useEffect, useState, type ReactNode } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../api/client";
import { useSite } from "../../api/queries";
import { useFilters, type Filters } from "../../lib/filters";
import { count } from "../../lib/format";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Select } from "../../ui/field";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState } from "../../ui/states";
import { errorToast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { CollapsibleFormButton, useCollapsibleForm } from "../shared/collapsible-form";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { SortSelect, readSort } from "../shared/sort-select";
import { PageHead } from "../shared/page-head";
import {
  countsQuery,
  adminVideosQuery,
  foundQuery,
  videoOrders,
  type VideoCounts,
  type Attention,
  type VideoStatus,
} from "./queries";
import { ReportRow, ReportsSkeleton } from "./report-row";
import { SelectAll, SelectionBar, useSelection } from "./selection";
import { UploadForm } from "./upload-form";
import { DropArea } from "./uploads/drop-area";
import { useSendFiles } from "./uploads/send-files";
import { DeleteDialog, EditDrawer, useDialogsSoon, VideoDrawer } from "./later";
import { statusName } from "./words";

type Open = { what: "edit" | "delete" | "more"; video: AdminVideo } | null;

const statuses: readonly VideoStatus[] = ["published", "scheduled", "draft"];
const reasonName: Record<Attention, string> = {
  failed_mails: "With emails that failed in 7 days",
  reported_comments: "With reported comments",
  held_comments: "With comments to approve",
};
const reasons = Object.keys(reasonName) as Attention[];

/** The videos of every status. Staff add, correct, publish and delete them, one by one or several at once. */
export default function Reports() {
  const site = useSite();
  const filters = useFilters();
  const { params, set } = filters;
  const { term, status, attention, order } = readFilter(params);
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  const counts = useQuery({ ...countsQuery, refetchInterval }).data;
  const found = useQuery({ ...foundQuery(term), enabled: Boolean(term) });
  const videos = useInfiniteQuery({
    ...adminVideosQuery({
      ...(term ? { q: term } : {}),
      ...(status ? { status } : {}),
      ...(attention ? { attention } : {}),
      ...order,
    }),
    // A scheduled video gets published by itself.
    refetchInterval,
  });
  const [open, setOpen] = useState<Open>(null);
  const upload = useCollapsibleForm("upload", filters);
  const source = useChosenFile(filters, upload.unfold);
  const timeZone = site?.timezone ?? "UTC";
  const shown = videos.data?.length ?? 0;
  const selection = useSelection(videos.data ?? []);
  useDialogsSoon();

  return (
    <>
      <PageHead title="Report Management" description="Upload and manage daily progress reports">
        <CollapsibleFormButton {...upload.button} icon="up">
          Upload New Report
        </CollapsibleFormButton>
      </PageHead>

      {upload.everOpened && (
        <UploadForm
          key={upload.key}
          open={upload.open}
          file={source.file}
          onFile={source.setFile}
          onCancel={upload.close}
          onDone={() => {
            source.setFile(null);
            upload.done();
          }}
        />
      )}

      <ReportFilters {...{ term, status, attention, order, counts, set }}>
        {shown > 0 && <SelectAll selection={selection} />}
      </ReportFilters>

      <h2 className="sr-only">Videos</h2>
      <p role="status" className={cx("text-sm text-muted", term && "mb-3")}>
        {term && videos.data && !videos.isPlaceholderData && (
          <>
            Found{" "}
            {videos.hasNextPage ? (attention ? `${shown}+` : (found.data?.[status ?? "all"] ?? `${shown}+`)) : shown}{" "}
            video(s) matching "<bdi>{term}</bdi>"
          </>
        )}
      </p>

      <Listing
        list={videos}
        what="videos"
        failed="Failed to load videos"
        skeleton={<ReportsSkeleton />}
        empty={<Nothing {...{ term, status, attention, set }} onUpload={upload.unfold} />}
      >
        {(all) => (
          <ul className="sheet overflow-clip">
            {all.map((video) => (
              <ReportRow
                key={video.id}
                video={video}
                timeZone={timeZone}
                selected={selection.has(video.id)}
                onSelect={() => selection.toggle(video.id)}
                onEdit={() => setOpen({ what: "edit", video })}
                onDelete={() => setOpen({ what: "delete", video })}
                onMore={() => setOpen({ what: "more", video })}
              />
            ))}
          </ul>
        )}
      </Listing>
      <SelectionBar selection={selection} />
      <DropArea onFiles={source.drop} />

      {open?.what === "edit" && <EditDrawer video={open.video} timeZone={timeZone} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && <DeleteDialog video={open.video} onClose={() => setOpen(null)} />}
      {open?.what === "more" && <VideoDrawer video={open.video} onClose={() => setOpen(null)} />}
    </>
  );
}

/** The file for the new report: chosen in its form, named in the URL, or dropped on the page. */
function useChosenFile({ params, set }: Filters, unfold: () => void) {
  const named = params.get("file");
  const [file, setFile] = useState(named);
  const [seen, setSeen] = useState(named);
  const { send } = useSendFiles();
  if (named !== seen) {
    setSeen(named);
    if (named) setFile(named);
  }
  useEffect(() => {
    if (named) set({ file: "" }, true);
  }, [named, set]);

  async function drop(files: File[]) {
    const { ids, problems } = await send(files);
    problems.forEach((problem) => errorToast(problem));
    if (!ids[0]) return;
    setFile((before) => before ?? ids[0]!);
    unfold();
  }
  return { file, setFile, drop: (files: File[]) => void drop(files) };
}

/** The filters in the URL. */
const readFilter = (params: URLSearchParams) => ({
  term: params.get("q")?.trim() ?? "",
  status: statuses.find((one) => one === params.get("status")),
  attention: reasons.find((one) => one === params.get("attention")),
  order: readSort(params, videoOrders),
});

type Counts = VideoCounts | undefined;
type FiltersProps = ReturnType<typeof readFilter> & { counts: Counts; set: Filters["set"]; children: ReactNode };

const ReportFilters = ({ term, status, attention, order, counts, set, children }: FiltersProps) => (
  <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 sm:gap-y-3">
    <SearchBox
      label="Search videos"
      placeholder="Search videos by title, description, type, or date..."
      value={term}
      onSearch={(q) => set({ q })}
      className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:min-w-72 sm:flex-[1_1_calc(100%-24rem)]"
    />
    <CollapsedFilters
      chosen={[status && statusName[status], attention && reasonName[attention], order.sort && videoOrders[order.sort]]}
    >
      <div className="grid gap-2 sm:grid-cols-[11rem_11rem] sm:gap-3">
        <AttentionSelect attention={attention} counts={counts} set={set} />
        <SortSelect names={videoOrders} order={order} set={set} />
      </div>
      <Segmented
        label="Filter by status"
        value={status ?? "all"}
        options={[
          { value: "all", label: "All", note: counts?.all },
          { value: "published", label: "Published", note: counts?.published },
          { value: "scheduled", label: "Scheduled", note: counts?.scheduled },
          { value: "draft", label: "Drafts", note: counts?.draft },
        ]}
        onChange={(next) => set({ status: next === "all" ? "" : next })}
        className="sm:order-last sm:ms-auto max-sm:flex-wrap max-sm:[&>button]:px-2"
      />
    </CollapsedFilters>
    <div className="max-sm:w-full">{children}</div>
  </div>
);

type AttentionProps = { attention: Attention | undefined; counts: Counts; set: Filters["set"] };

const AttentionSelect = ({ attention, counts, set }: AttentionProps) => (
  <Select
    aria-label="Filter by what needs attention"
    value={attention ?? ""}
    onChange={(event) => set({ attention: event.target.value })}
  >
    <option value="">All videos</option>
    {reasons.map((reason) => (
      <option key={reason} value={reason}>
        {reasonName[reason]}
        {counts ? ` (${count(counts[reason], "video")})` : ""}
      </option>
    ))}
  </Select>
);

type NothingProps = {
  term: string;
  status: VideoStatus | undefined;
  attention: Attention | undefined;
  set: Filters["set"];
  onUpload: () => void;
};

/** Why the list is empty, and what to do next. */
function Nothing({ term, status, attention, set, onUpload }: NothingProps) {
  if (term) {
    return (
      <EmptyState title="No videos found">
        <Button look="line" onClick={() => set({ q: "" })}>
          Clear Search
        </Button>
      </EmptyState>
    );
  }
  if (status || attention) {
    const kind = status === "draft" ? "drafts" : status ? `${statusName[status].toLowerCase()} videos` : "videos";
    return (
      <EmptyState
        title={`No ${kind}${attention ? ` ${reasonName[attention].toLowerCase()}` : ""}`}
        picture="/art/placeholder.svg"
      >
        <Button look="line" onClick={() => set({ status: "", attention: "" })}>
          Show all videos
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No videos uploaded yet"
      text="The first one can be a file of this device, or a link to Google Drive or YouTube."
      picture="/art/placeholder.svg"
    >
      <Button icon="up" onClick={onUpload}>
        Upload First Video
      </Button>
    </EmptyState>
  );
}
