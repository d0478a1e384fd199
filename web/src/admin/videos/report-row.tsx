import type { AdminVideo } from "../../api/client";
import { campLocal, count, number } from "../../lib/format";
import { campDate } from "../../lib/moments";
import { Badge } from "../../ui/badge";
import { IconButton, iconButtonLook } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { directionOf } from "../../ui/direction";
import { Icon } from "../../ui/icon";
import { Loading, Skeleton } from "../../ui/states";
import { Thumbnail } from "../../videos/thumbnail";
import { MailSummary } from "./mail-report";
import { people, scheduleTime } from "../shared/words";
import { VideoTitle } from "../shared/video-title";
import { useLiveUpload } from "./uploads/live-upload";
import { UploadBadges } from "./uploads/upload-badges";
import { providerName, statusName } from "./words";

export const StatusBadge = ({ status }: { status: AdminVideo["status"] }) => {
  if (status === "published")
    return (
      <Badge tone="good" icon="check">
        {statusName.published}
      </Badge>
    );
  if (status === "scheduled")
    return (
      <Badge tone="info" icon="clock">
        {statusName.scheduled}
      </Badge>
    );
  return <Badge>{statusName.draft}</Badge>;
};

/** The URL of the page that families see, or of the video itself before it is published. */
export const addressOf = (video: AdminVideo) => (video.status === "published" ? video.page_url : video.video_url);

/** Whether a scheduled video becomes public in the year it was filmed. Families are told about no other videos. */
const isOfItsYear = ({ publishes_at, scheduled_date, upload_date }: AdminVideo, timeZone: string) =>
  campLocal(publishes_at ?? scheduled_date!, timeZone).date.slice(0, 4) === upload_date.slice(0, 4);

/** Opens a video in a new tab. A video whose first file is not ready has nothing to show yet. */
export function OpenLink({ video }: { video: AdminVideo }) {
  const upload = useLiveUpload(video.upload);
  if (upload && upload.state !== "ready" && video.status !== "published") return <span className="size-tap" />;
  return (
    <a
      href={addressOf(video)}
      target="_blank"
      rel="noopener"
      aria-label={`Open ${video.title} in a new tab`}
      title="Open in a new tab"
      className={iconButtonLook()}
    >
      <Icon name="out" />
    </a>
  );
}

const twoDays = 2 * 24 * 3_600_000;
const isFresh = ({ announced, published_at }: AdminVideo) =>
  announced && Boolean(published_at) && Date.now() - Date.parse(published_at!) < twoDays;

type Props = {
  video: AdminVideo;
  timeZone: string;
  selected: boolean;
  onSelect: () => void;
  onEdit: () => void;
  onDelete: () => void;
  onMore: () => void;
};

const grid =
  "relative flex flex-wrap items-center gap-x-3 gap-y-2 border-line p-3 not-first:border-t md:grid md:grid-cols-[auto_148px_minmax(0,1fr)_11.5rem_auto] md:gap-x-5 md:px-4";

export function ReportRow({ video, timeZone, selected, onSelect, onEdit, onDelete, onMore }: Props) {
  return (
    <li className={cx(grid, selected && "bg-pine-wash/60")}>
      {/* The tap target is larger than the box. */}
      <label className="flex items-center max-md:absolute max-md:start-1.5 max-md:top-1.5 max-md:z-1 max-md:size-tap max-md:items-start max-md:p-2 md:-my-3 md:self-stretch md:py-3">
        <span className="sr-only">Select {video.title}</span>
        <input type="checkbox" checked={selected} onChange={onSelect} className="size-5.5 shrink-0" />
      </label>
      <div className="aspect-video self-start overflow-hidden rounded-sm bg-sunk max-md:w-24 md:self-center">
        <Thumbnail url={video.thumbnail_url} />
      </div>
      <div className="min-w-0 max-md:flex-[1_1_9rem]">
        <h3 className="text-[1.12rem]">
          <VideoTitle>{video.title}</VideoTitle>
        </h3>
        <p
          dir={directionOf(video.description ?? "No description")}
          className="mt-0.5 line-clamp-1 w-fit text-sm wrap-anywhere text-muted md:line-clamp-2"
        >
          {video.description || "No description"}
        </p>
        <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1">
          {!video.publishes_when_ready && <StatusBadge status={video.status} />}
          <UploadBadges video={video} />
          {video.video_type !== "upload" && <Badge>{providerName[video.video_type]}</Badge>}
          {video.is_featured && <Badge icon="star">Featured</Badge>}
          {video.failed_mails > 0 && (
            <Badge tone="bad" icon="mail">
              {count(video.failed_mails, "failed email")}
            </Badge>
          )}
          {video.reported_comments > 0 && (
            <Badge tone="bad" icon="alert">
              {count(video.reported_comments, "reported comment")}
            </Badge>
          )}
          {video.held_comments > 0 && (
            <Badge tone="due" icon="clock">
              {count(video.held_comments, "comment")} to read
            </Badge>
          )}
          <button
            type="button"
            onClick={onMore}
            className="-my-2 inline-flex min-h-tap items-center gap-3 rounded-sm px-1 text-xs text-muted tabular-nums underline-offset-2 hover:text-ink hover:underline"
          >
            <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
              <Icon name="talk" />
              {number(video.comment_count)}
              <span className="sr-only">{video.comment_count === 1 ? "comment" : "comments"}</span>
            </span>
            {video.announced && (
              <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
                <Icon name="mail" />
                {isFresh(video) ? <MailSummary video={video} /> : "Emailed"}
              </span>
            )}
            <span className="sr-only">, details of {video.title}</span>
          </button>
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3 max-md:basis-full md:contents">
        <p className="text-sm leading-snug tabular-nums">
          {video.publishes_when_ready ? (
            <>
              <span className="block">
                {video.upload?.state === "failed" ? "Held back: its file failed" : "As soon as it is ready"}
              </span>
              {video.recipients != null && <span className="block text-muted">goes to {people(video.recipients)}</span>}
            </>
          ) : video.status === "scheduled" && video.scheduled_date ? (
            <>
              <time dateTime={video.scheduled_date} className="block">
                {scheduleTime(video.publishes_at ?? video.scheduled_date, timeZone)}
              </time>
              {video.recipients != null && isOfItsYear(video, timeZone) && (
                <span className="block text-muted">goes to {people(video.recipients)}</span>
              )}
              <span className="block text-muted">Filmed {day(video.upload_date)}</span>
            </>
          ) : (
            <>
              <time dateTime={video.upload_date} className="block">
                {day(video.upload_date)}
              </time>
              <span className="block text-muted">{count(video.view_count, "read")}</span>
            </>
          )}
        </p>
        <div className="flex shrink-0 max-md:-me-2 max-md:ms-auto">
          {!video.has_no_file && <OpenLink video={video} />}
          <IconButton icon="edit" label={`Edit ${video.title}`} title="Edit" onClick={onEdit} />
          <IconButton icon="trash" danger label={`Delete ${video.title}`} title="Delete" onClick={onDelete} />
        </div>
      </div>
    </li>
  );
}

/** Formats a plain date, which has no time zone. */
const day = (date: string) => campDate(`${date}T12:00:00Z`, "UTC");

export const ReportsSkeleton = () => (
  <Loading label="Loading videos" className="sheet overflow-clip">
    {Array.from({ length: 6 }, (_, i) => (
      <div key={i} className={grid}>
        <Skeleton className="size-5.5 max-md:hidden" />
        <Skeleton className="aspect-video max-md:w-24" />
        <div className="grid gap-2.5 max-md:flex-1">
          <Skeleton className="h-5 w-2/5" />
          <Skeleton className="w-3/4" />
          <Skeleton className="h-5 w-24" />
        </div>
        <div className="grid gap-2 max-md:hidden">
          <Skeleton className="w-3/4" />
          <Skeleton className="w-1/2" />
        </div>
        <div className="w-33 max-md:hidden" />
      </div>
    ))}
  </Loading>
);
