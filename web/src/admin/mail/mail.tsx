import { useQuery } from "@tanstack/react-query";
import { number } from "../../lib/format";
import { useFilters } from "../../lib/filters";
import { Segmented } from "../../ui/segmented";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { dashboardQuery } from "../shared/dashboard-query";
import { PageHead } from "../shared/page-head";
import { FailedMails } from "./failed-mails";
import { MailReports } from "./mail-reports";
import { RefusedAddresses } from "./refused-addresses";
import { Samples } from "./samples";

const views = ["mails", "addresses", "reports", "preview"] as const;

/**
 * Failed emails, refused addresses, bounces and complaints, with the buttons to handle them. Also shows what every
 * email looks like.
 */
export default function Mail() {
  const { params, set } = useFilters();
  const view = views.find((one) => one === params.get("show")) ?? "mails";
  const attention = useQuery({ ...dashboardQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) }).data
    ?.attention;

  return (
    <>
      <PageHead title="Email" description="Emails that did not arrive, and how every email looks">
        <Segmented
          label="What to show"
          value={view}
          options={[
            { value: "mails", label: "Failed emails", note: attention && number(attention.failed_mails) },
            {
              value: "addresses",
              label: "Refused addresses",
              note: attention && number(attention.suppressed_addresses),
            },
            { value: "reports", label: "Bounces" },
            { value: "preview", label: "Preview emails" },
          ]}
          onChange={(next) => set({ show: next === "mails" ? "" : next, about: "", mail: "" })}
          className="max-sm:grid! max-sm:w-full max-sm:grid-cols-2 max-sm:[&>button]:px-2"
        />
      </PageHead>
      {view === "mails" && <FailedMails />}
      {view === "addresses" && <RefusedAddresses />}
      {view === "reports" && <MailReports />}
      {view === "preview" && <Samples />}
    </>
  );
}
