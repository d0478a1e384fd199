import { useInfiniteQuery } from "@tanstack/react-query";
import { useNow } from "../lib/clock";
import { LoadMore } from "../lib/load-more";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { EmptyState, ErrorState } from "../ui/states";
import { inOrder } from "./order";
import { allUpdatesQuery } from "./queries";
import { isRestricted, Restricted } from "./restricted";
import { UpdateItem, UpdatesSkeleton } from "./update-item";
import "../ui/more-icons";

export default function Updates() {
  const updates = useInfiniteQuery(allUpdatesQuery);
  const now = useNow();
  return (
    <div className="wrap pt-8">
      <PageMeta title="Live Updates" description="Short announcements from camp." />
      <Heading />
      {isRestricted(updates.error) ? (
        <Restricted error={updates.error} back={paths.updates} />
      ) : updates.data ? (
        updates.data.length > 0 ? (
          <>
            <ol>
              {inOrder(updates.data, now).map((update) => (
                <UpdateItem key={update.id} update={update} now={now} heading="h2" />
              ))}
            </ol>
            <LoadMore label="Load more updates" list={updates} />
          </>
        ) : (
          <EmptyState title="No updates right now" text="Updates from camp will appear here.">
            <Link to={paths.currentVideos} className={buttonLook("line")}>
              View All Current Videos
            </Link>
          </EmptyState>
        )
      ) : updates.isError ? (
        <ErrorState
          title="The updates could not be loaded"
          error={updates.error}
          retrying={updates.isFetching}
          onRetry={updates.refetch}
        />
      ) : (
        <UpdatesSkeleton rows={6} />
      )}
    </div>
  );
}

const Heading = () => <h1 className="mb-5">Live Updates</h1>;

/** The page without its updates. */
export const Shell = () => (
  <div className="wrap pt-8">
    <Heading />
  </div>
);
