import { useId, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import type { LiveUpdate } from "../api/client";
import { useNow } from "../lib/clock";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { EmptyState, ErrorState } from "../ui/states";
import { inOrder } from "./order";
import { newestUpdatesQuery } from "./queries";
import { isRestricted, Restricted } from "./restricted";
import { UpdateItem, UpdatesSkeleton } from "./update-item";

const collapsed = 2;

/** The newest updates on the home page. */
export function NewestUpdates() {
  const updates = useQuery(newestUpdatesQuery);
  return (
    <section aria-labelledby="live-updates" className="min-w-0">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-5 gap-y-2">
        <h2 id="live-updates">Live updates</h2>
        {updates.data && updates.data.items.length > 0 && (
          <Link to={paths.updates} className={buttonLook("quiet", "-me-2.5 -my-2")}>
            All updates
          </Link>
        )}
      </div>
      {isRestricted(updates.error) ? (
        <Restricted error={updates.error} back={paths.home} />
      ) : updates.data ? (
        updates.data.items.length > 0 ? (
          <Newest updates={updates.data.items} />
        ) : (
          <EmptyState title="No updates right now" text="Updates from camp will appear here." />
        )
      ) : updates.isError ? (
        <ErrorState
          title="The updates could not be loaded"
          error={updates.error}
          retrying={updates.isFetching}
          onRetry={updates.refetch}
        />
      ) : (
        <UpdatesSkeleton rows={collapsed} />
      )}
    </section>
  );
}

function Newest({ updates }: { updates: LiveUpdate[] }) {
  const [all, setAll] = useState(false);
  const id = useId();
  const now = useNow();
  const more = updates.length - collapsed;
  const shown = inOrder(updates, now).slice(0, all ? undefined : collapsed);
  return (
    <>
      <ol id={id}>
        {shown.map((update) => (
          <UpdateItem key={update.id} update={update} now={now} />
        ))}
      </ol>
      {more > 0 && (
        <div className="border-t border-line pt-3">
          <Button look="quiet" aria-expanded={all} aria-controls={id} onClick={() => setAll(!all)} className="-ms-2.5">
            {all ? "Show Less" : `Show All Updates (${more} more)`}
          </Button>
        </div>
      )}
    </>
  );
}
