import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { count } from "../../lib/format";
import { useSearchParams } from "../../lib/address";
import { Badge } from "../../ui/badge";
import { Segmented } from "../../ui/segmented";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { PageHead } from "../shared/page-head";
import { Inbox } from "./inbox";
import { Letters } from "./letters";
import { messageCountsQuery } from "./queries";
import { Subscribers } from "./subscribers";

const views = ["inbox", "newsletters", "subscribers"] as const;
type View = (typeof views)[number];

/** The inbox, the camp's newsletters, and the mailing list. */
export default function Messages() {
  const [params, setParams] = useSearchParams();
  const view: View = views.find((one) => one === params.get("view")) ?? "inbox";
  const unread =
    useQuery({ ...messageCountsQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds) }).data?.unread ?? 0;
  // Keeps an unfinished newsletter mounted while the inbox is open.
  const [everWrote, setEverWrote] = useState(view === "newsletters");
  if (view === "newsletters" && !everWrote) setEverWrote(true);

  return (
    <>
      <PageHead title="Messages" description="What people write to the camp, and the camp's newsletters">
        <Segmented
          label="What to show"
          value={view}
          options={[
            {
              value: "inbox",
              label: "Inbox",
              note: unread > 0 ? <Badge tone="new">{count(unread, "unread", "unread")}</Badge> : undefined,
            },
            { value: "newsletters", label: "Newsletters" },
            { value: "subscribers", label: "Subscribers" },
          ]}
          onChange={(next) => setParams(next === "inbox" ? {} : { view: next })}
          className="max-sm:w-full max-sm:flex-wrap max-sm:[&>button]:px-2"
        />
      </PageHead>
      {view === "inbox" && <Inbox />}
      {everWrote && (
        <div hidden={view !== "newsletters"}>
          <Letters />
        </div>
      )}
      {view === "subscribers" && <Subscribers />}
    </>
  );
}
