import type { ReactNode } from "react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { count } from "../../lib/format";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Button, buttonLook } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon, type IconName } from "../../ui/icon";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { dashboardQuery, type Attention, type Dashboard as DashboardData, type Tiles } from "../shared/dashboard-query";
import { NotRefreshed } from "../shared/not-refreshed";
import { PageHead } from "../shared/page-head";
import { pagesFor } from "../shared/pages";
import { useSignOut, useStaff } from "../shared/session";
import { VideoTitle } from "../shared/video-title";
import { LateVideo } from "./late-video";
import { scheduleTime } from "../shared/words";

/** The first page of the staff area: what needs attention, the most frequent actions, and the counts. */
export default function Dashboard({ onSignedOut }: { onSignedOut: () => void }) {
  const site = useSite();
  const staff = useStaff();
  const signOut = useSignOut(onSignedOut);
  const dashboard = useQuery({ ...dashboardQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) });
  const { data } = dashboard;

  return (
    <>
      <PageHead
        title="Admin Dashboard"
        description="What needs your attention"
        text={
          staff && (
            <>
              Welcome, <bdi>{staff.username}</bdi>
            </>
          )
        }
        className="flex-wrap items-start gap-x-4 gap-y-3 [&>div]:flex-[1_1_9rem]"
      >
        <Button
          look="line"
          icon="signOut"
          className="shrink-0 whitespace-nowrap"
          busy={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          Sign Out
        </Button>
      </PageHead>

      <QuickActions />

      {dashboard.isError && data && (
        <NotRefreshed what="dashboard" retrying={dashboard.isFetching} onRetry={dashboard.refetch} />
      )}
      {data?.attention.late_video && <LateVideo late={data.attention.late_video} />}
      <NeedsAttention dashboard={dashboard} timeZone={site?.timezone ?? "UTC"} />

      <Everything role={staff?.role ?? "staff"} tiles={data?.tiles} failed={dashboard.isError} />
    </>
  );
}

const QuickActions = () => (
  <nav aria-label="Quick actions" className="mb-8 flex flex-wrap gap-3">
    <Link to={staffPaths.upload} className={buttonLook("main", "max-sm:w-full")}>
      <Icon name="up" />
      Upload New Report
    </Link>
    <Link to={staffPaths.createUpdate} className={buttonLook("line", "max-sm:flex-1 max-sm:px-2")}>
      <Icon name="horn" />
      Create Update
    </Link>
    <Link to={staffPaths.messages} className={buttonLook("line", "max-sm:flex-1 max-sm:px-2")}>
      <Icon name="mail" />
      View Messages
    </Link>
  </nav>
);

function NeedsAttention({ dashboard, timeZone }: { dashboard: UseQueryResult<DashboardData>; timeZone: string }) {
  const { data } = dashboard;
  if (dashboard.isError && !data) {
    return (
      <ErrorState
        title="The figures could not be loaded"
        error={dashboard.error}
        retrying={dashboard.isFetching}
        onRetry={dashboard.refetch}
        className="mb-8"
      />
    );
  }
  return (
    <section aria-labelledby="attention" className="mb-8">
      <h2 id="attention" className="mb-3 text-xl">
        What needs attention now
      </h2>
      {data ? (
        <AttentionList attention={data.attention} timeZone={timeZone} />
      ) : (
        <Loading label="Loading what needs attention" className="sheet px-4">
          {Array.from({ length: 4 }, (_, i) => (
            <div key={i} className={cx("border-line py-4", i > 0 && "border-t")}>
              <Skeleton className="h-6 w-1/2" />
            </div>
          ))}
        </Loading>
      )}
    </section>
  );
}

type EverythingProps = { role: "owner" | "staff"; tiles: Tiles | undefined; failed: boolean };

/** A tile for each page. */
const Everything = ({ role, tiles, failed }: EverythingProps) => (
  <section aria-labelledby="everything">
    <h2 id="everything" className="mb-3 text-xl">
      Everything
    </h2>
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15.5rem),1fr))] gap-4">
      {pagesFor(role)
        .filter(({ about }) => about)
        .map(({ label, to, icon, about, tile, urgent }) => (
          <li key={to} className="min-w-0 wrap-anywhere">
            <Link
              to={to}
              className="sheet group grid h-full grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 p-4 text-ink no-underline shadow-low transition-colors hover:border-edge hover:bg-sunk"
            >
              <span className="row-span-3 grid size-11 place-items-center rounded-md bg-pine-wash text-pine">
                <Icon name={icon} className="size-6" />
              </span>
              <span className="font-head text-lg font-semibold">{label}</span>
              {tile && (tiles || !failed) && (
                <span
                  className={cx(
                    "text-sm tabular-nums",
                    tiles && urgent?.(tiles) ? "font-medium text-due" : "text-pine",
                  )}
                >
                  {tiles ? tile(tiles) : <Skeleton className="my-1 w-16" />}
                </span>
              )}
              <span className="mt-1 text-sm text-muted">{about}</span>
            </Link>
          </li>
        ))}
    </ul>
  </section>
);

type Line = { icon: IconName; text: ReactNode; to?: string | undefined; tone?: "bad" | "due" };

/** One line for each kind of open task. Where there is a filtered list, the line links to it. */
export function linesOf(attention: Attention, timeZone: string): Line[] {
  const {
    unread_messages,
    failed_mails,
    failed_video_mails,
    suppressed_addresses,
    reported_comments,
    held_comments,
    to_approve,
    overdue_plans,
    failed_jobs,
    next_video,
  } = attention;
  const otherMails = failed_mails - failed_video_mails;
  const lines: (Line | false)[] = [
    unread_messages > 0 && {
      icon: "mail",
      text: count(unread_messages, "unread message"),
      to: staffPaths.unreadMessages,
      tone: "due",
    },
    reported_comments > 0 && {
      icon: "flag",
      text: count(reported_comments, "reported comment"),
      to: staffPaths.commentsOnly("reported"),
      tone: "bad",
    },
    held_comments > 0 && {
      icon: "talk",
      text: `${count(held_comments, "comment")} to approve`,
      to: staffPaths.commentsOnly("held"),
      tone: "due",
    },
    to_approve > 0 && {
      icon: "people",
      text: `${count(to_approve, "family", "families")} to approve`,
      to: staffPaths.usersWith("to_approve"),
      tone: "due",
    },
    overdue_plans > 0 && {
      icon: "clock",
      text: count(overdue_plans, "overdue plan"),
      to: staffPaths.usersWith("overdue"),
      tone: "bad",
    },
    failed_video_mails > 0 && {
      icon: "alert",
      text: `${count(failed_video_mails, "email")} about videos failed in the last seven days`,
      to: staffPaths.mailsAbout("videos"),
      tone: "bad",
    },
    otherMails > 0 && {
      icon: "mail",
      text: `${count(otherMails, failed_video_mails > 0 ? "other email" : "email")} failed in the last seven days`,
      to: staffPaths.mailsAbout("other"),
      tone: "bad",
    },
    suppressed_addresses > 0 && {
      icon: "mail",
      text: `${count(suppressed_addresses, "address", "addresses")} refused our emails`,
      to: staffPaths.refusedAddresses,
    },
    failed_jobs > 0 && {
      icon: "cog",
      text: `${count(failed_jobs, "failed job")}: whoever runs the site should look at ${failed_jobs === 1 ? "it" : "them"}`,
      tone: "bad",
    },
    next_video
      ? {
          icon: "film",
          text: (
            <>
              Next video: <VideoTitle>{next_video.title}</VideoTitle>,{" "}
              {scheduleTime(next_video.scheduled_date, timeZone).replace(/^To/, "to")}
            </>
          ),
          to: staffPaths.scheduled,
        }
      : false,
  ];
  return lines.filter((line) => line !== false);
}

const tones = { bad: "bg-clay-wash text-clay", due: "bg-due-wash text-due", plain: "bg-sunk text-muted" };

function AttentionList({ attention, timeZone }: { attention: Attention; timeZone: string }) {
  const lines = linesOf(attention, timeZone);
  const waiting = lines.some(({ tone }) => tone);
  return (
    <ul className="sheet overflow-clip">
      {!waiting && <AttentionLine line={{ icon: "check", text: "You are all caught up." }} good />}
      {lines.map((line) => (
        <AttentionLine key={line.to ?? line.icon} line={line} />
      ))}
    </ul>
  );
}

function AttentionLine({ line: { icon, text, to, tone }, good = false }: { line: Line; good?: boolean }) {
  const inside = (
    <>
      <span
        className={cx(
          "grid size-[min(2.25rem,12vw)] shrink-0 place-items-center rounded-full",
          good ? "bg-good-wash text-good" : tones[tone ?? "plain"],
        )}
      >
        <Icon name={icon} />
      </span>
      <span className="min-w-0 flex-1 tabular-nums">{text}</span>
      {to && <Icon name="next" className="text-muted @max-3xs:hidden" />}
    </>
  );
  const look = "flex min-h-14 items-center gap-3 px-[min(1rem,5vw)] py-2.5";
  return (
    <li className="@container border-line not-first:border-t">
      {to ? (
        <Link to={to} className={cx(look, "text-ink no-underline hover:bg-sunk focus-visible:-outline-offset-3")}>
          {inside}
        </Link>
      ) : (
        <div className={look}>{inside}</div>
      )}
    </li>
  );
}
