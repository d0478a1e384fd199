import { useInfiniteQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { ago, campDateTime } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Badge } from "../../ui/badge";
import { InlineTitle } from "../../ui/inline-title";
import { EmptyState } from "../../ui/states";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { Listing } from "../shared/listing";
import { AddressActions } from "./address-actions";
import { reportsQuery, type MailReport } from "./queries";
import { MailSkeleton, Reason } from "./row";
import { advice, causes, kindName } from "./words";

/** Bounces and complaints that other mail servers reported after they had accepted an email. */
export function MailReports() {
  const every = useRefetchInterval(everyFifteenSeconds);
  const reports = useInfiniteQuery({
    ...reportsQuery,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : every),
  });
  return (
    <>
      <h2 className="sr-only">Bounces and complaints</h2>
      <Listing
        list={reports}
        what="reports"
        failed="Failed to load the bounces and complaints"
        skeleton={<MailSkeleton label="Loading bounces and complaints" />}
        empty={
          <EmptyState
            title="No email came back in the last 90 days"
            text="Emails that a mail server accepted and later returned, and emails that someone marked as spam, are listed here if the portal is told about them. Whoever runs the portal can set this up."
          />
        }
      >
        {(items) => (
          <ul className="sheet overflow-clip">
            {items.map((report) => (
              <ReportRow key={report.id} report={report} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}

function ReportRow({ report }: { report: MailReport }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { email, full_name, family_id, title, mail, kind, cause, reason, reported_at, refused } = report;
  return (
    <li className="grid items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">
            <bdi>{email}</bdi>
          </span>
          {kind === "complaint" && (
            <Badge tone="bad" icon="alert">
              Complaint
            </Badge>
          )}
          {refused && (
            <Badge tone="bad" icon="mail">
              Address refused
            </Badge>
          )}
        </p>
        <p className="text-sm text-muted">
          {family_id && (
            <>
              <Link to={staffPaths.user(family_id)} className="link">
                <bdi>{full_name || "No Name"}</bdi>
              </Link>{" "}
              ·{" "}
            </>
          )}
          {kindName(mail)}
          {title && (
            <>
              : <InlineTitle>{title}</InlineTitle>
            </>
          )}
          ,{" "}
          <time dateTime={reported_at} title={campDateTime(reported_at, timeZone)}>
            {ago(reported_at, timeZone)}
          </time>
        </p>
        <p className="mt-1.5">
          {causes[cause]} {advice(report)}
        </p>
        <Reason text={reason} />
      </div>
      {refused && <AddressActions email={email} familyId={family_id} />}
    </li>
  );
}
