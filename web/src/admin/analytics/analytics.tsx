import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { useFilters } from "../../lib/filters";
import { count, number, shortDate } from "../../lib/format";
import { ago } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { paths } from "../../lib/paths";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";
import { InlineTitle } from "../../ui/inline-title";
import { ProgressBar } from "../../ui/progress-bar";
import { Section } from "../../ui/section";
import { Segmented } from "../../ui/segmented";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { ExportButton } from "../shared/export-button";
import { NotRefreshed } from "../shared/not-refreshed";
import { PageHead } from "../shared/page-head";
import { useStaff } from "../shared/session";
import { DayChart } from "./day-chart";
import { analyticsQuery, analyticsTable, type Activity, type Analytics as AnalyticsFigures } from "./queries";
import {
  activityIcon,
  activityWords,
  comparison,
  lengthOf,
  measures,
  percentLabel,
  type Measure,
  periodOf,
  periods,
  share,
} from "./words";

export default function Analytics() {
  const staff = useStaff();
  const { params, set: setParams } = useFilters();
  const period = periodOf(params.get("period"));
  const figures = useQuery(analyticsQuery(period));
  const set = (key: string, value: string, usual: string) => setParams({ [key]: value === usual ? "" : value });

  const measure = measures.find(({ value }) => value === params.get("chart"))?.value ?? "views";

  return (
    <>
      <PageHead title="Analytics" description="What families watch and say, counted here and never shared">
        {staff?.role === "owner" && (
          <ExportButton
            name={`analytics-${period}.csv`}
            load={() => analyticsTable(period)}
            done="The table was downloaded"
            label="Download CSV"
          />
        )}
      </PageHead>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Segmented
          label="Period"
          value={period}
          options={periods}
          onChange={(next) => set("period", next, "30")}
          className="max-sm:w-full max-sm:[&>button]:px-2"
        />
        <p role="status" className="text-sm text-muted">
          {figures.data &&
            !figures.isPlaceholderData &&
            `${shortDate(figures.data.from)} to ${shortDate(figures.data.to)}, ${count(lengthOf(figures.data), "day")}`}
        </p>
      </div>

      {figures.data && !(figures.isError && figures.isPlaceholderData) ? (
        <>
          {figures.isError && <NotRefreshed what="figures" retrying={figures.isFetching} onRetry={figures.refetch} />}
          <div
            aria-busy={figures.isPlaceholderData}
            className={cx("grid grid-cols-1 gap-6", figures.isPlaceholderData && "opacity-60")}
          >
            <Figures figures={figures.data} measure={measure} onMeasure={(next) => set("chart", next, "views")} />
          </div>
        </>
      ) : figures.isError ? (
        <ErrorState
          title="Failed to load analytics"
          error={figures.error}
          retrying={figures.isFetching}
          onRetry={figures.refetch}
        />
      ) : (
        <AnalyticsSkeleton />
      )}
    </>
  );
}

type FiguresProps = { figures: AnalyticsFigures; measure: Measure; onMeasure: (measure: Measure) => void };

const Figures = ({ figures, measure, onMeasure }: FiguresProps) => (
  <>
    <Cards figures={figures} />
    <Section
      id="days"
      title="Day by day"
      beside={
        <Segmented
          label="What the chart shows"
          value={measure}
          options={measures}
          onChange={onMeasure}
          className="max-sm:w-full max-sm:flex-wrap sm:-mt-2.5 sm:-mb-1.5 max-sm:[&>button]:px-2"
        />
      }
    >
      <DayChart days={figures.days} measure={measure} />
    </Section>
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
      <TopContent figures={figures} />
      <Recent items={figures.recent} />
    </div>
    <div className="grid gap-6 lg:grid-cols-3">
      <Engagement figures={figures} />
      <UserTypes figures={figures} />
      <Devices figures={figures} />
    </div>
  </>
);

const Cards = ({ figures }: { figures: AnalyticsFigures }) => (
  <dl className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
    {measures.map(({ value, label, about }) => (
      <div key={value} className="sheet flex flex-col p-4">
        <dt className="text-sm text-muted">
          <span className="font-medium text-ink">{label}</span>
          <span className="block text-xs leading-snug">{about}</span>
        </dt>
        <dd className="mt-auto pt-1 font-head text-2xl tabular-nums">{number(figures[value].value)}</dd>
        <dd className="mt-1 text-xs text-muted tabular-nums">{comparison(figures[value], lengthOf(figures))}</dd>
      </div>
    ))}
  </dl>
);

const TopContent = ({ figures }: { figures: AnalyticsFigures }) => (
  <Section id="top" title="Top content">
    {figures.top_videos.length > 0 ? (
      <ol className="grid grid-cols-1">
        {figures.top_videos.map((video, i) => (
          <li key={video.id} className="grid grid-cols-[1.75rem_minmax(0,1fr)] border-line py-2 not-first:border-t">
            <span className="text-muted tabular-nums">{i + 1}.</span>
            <div className="min-w-0">
              <Link to={paths.video(video.id)} className="link">
                <InlineTitle>{video.title}</InlineTitle>
              </Link>
              <p className="text-sm text-muted tabular-nums">
                {shortDate(video.upload_date)} · {count(video.views, "view")} · {count(video.likes, "like")} ·{" "}
                {count(video.comments, "comment")}
              </p>
            </div>
          </li>
        ))}
      </ol>
    ) : (
      <p className="text-muted">Nobody watched anything on these days.</p>
    )}
  </Section>
);

function Recent({ items }: { items: Activity[] }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  return (
    <Section id="recent" title="Recent activity">
      {items.length > 0 ? (
        <ul className="grid grid-cols-1">
          {items.map((item) => {
            const [before, after] = activityWords(item);
            const words = (
              <>
                {before}
                <InlineTitle>{item.what}</InlineTitle>
                {after}
              </>
            );
            return (
              <li
                key={`${item.at} ${item.kind} ${item.what}`}
                className="flex items-start gap-3 border-line py-2 not-first:border-t"
              >
                <Icon
                  name={
                    Object.hasOwn(activityIcon, item.kind)
                      ? activityIcon[item.kind as keyof typeof activityIcon]
                      : "info"
                  }
                  className="mt-1 text-muted"
                />
                <div className="min-w-0">
                  {item.video_id ? (
                    <Link to={paths.video(item.video_id)} className="link">
                      {words}
                    </Link>
                  ) : (
                    words
                  )}
                  <p className="text-sm text-muted">
                    <time dateTime={item.at}>{ago(item.at, timeZone)}</time>
                  </p>
                </div>
              </li>
            );
          })}
        </ul>
      ) : (
        <p className="text-muted">Nothing has happened yet.</p>
      )}
    </Section>
  );
}

const Engagement = ({
  figures: {
    engagement: { of, watched, liked, commented, subscribed, families },
  },
}: {
  figures: AnalyticsFigures;
}) => (
  <Section id="engagement" title="Engagement">
    <Bars>
      <Bar label="Watched while signed in" part={watched} whole={of} of={count(of, "login")} />
      <Bar label="Liked a video" part={liked} whole={of} of={count(of, "login")} />
      <Bar label="Commented" part={commented} whole={of} of={count(of, "login")} />
      <Bar
        label="Get emails about videos"
        part={subscribed}
        whole={families}
        of={count(families, "family", "families")}
      />
    </Bars>
  </Section>
);

function UserTypes({
  figures: {
    user_types: { parents, visitors, without_login },
  },
}: {
  figures: AnalyticsFigures;
}) {
  const all = parents + visitors + without_login;
  return (
    <Section id="user-types" title="User types">
      <p className="mb-3 text-sm text-muted">
        Logins of today. The user list counts families, who may have none or two.
      </p>
      <Bars>
        <Bar label="Parents" part={parents} whole={all} />
        <Bar label="Visitors" part={visitors} whole={all} />
        <Bar label="Families without a login" part={without_login} whole={all} />
      </Bars>
    </Section>
  );
}

function Devices({
  figures: {
    devices: { phone, tablet, computer },
  },
}: {
  figures: AnalyticsFigures;
}) {
  const all = phone + tablet + computer;
  return (
    <Section id="devices" title="Devices">
      <Bars>
        <Bar label="Phone" part={phone} whole={all} of={count(all, "view")} />
        <Bar label="Tablet" part={tablet} whole={all} of={count(all, "view")} />
        <Bar label="Computer" part={computer} whole={all} of={count(all, "view")} />
      </Bars>
    </Section>
  );
}

const Bars = ({ children }: { children: ReactNode }) => <div className="grid gap-4">{children}</div>;

const Bar = ({ label, part, whole, of }: { label: string; part: number; whole: number; of?: string }) => (
  <div className="grid gap-1.5">
    <p className="flex flex-wrap justify-between gap-x-3">
      <span>{label}</span>
      <span className="text-sm text-muted tabular-nums">
        {of ? `${number(part)} of ${of}` : number(part)}
        {whole > 0 && ` (${percentLabel(part, whole)})`}
      </span>
    </p>
    <ProgressBar label={label} percent={share(part, whole)} />
  </div>
);

const AnalyticsSkeleton = () => (
  <Loading label="Loading analytics" className="grid gap-6">
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      {Array.from({ length: 4 }, (_, i) => (
        <Skeleton key={i} className="h-28" />
      ))}
    </div>
    <Skeleton className="h-72" />
    <div className="grid gap-6 lg:grid-cols-2">
      <Skeleton className="h-96" />
      <Skeleton className="h-96" />
    </div>
  </Loading>
);
