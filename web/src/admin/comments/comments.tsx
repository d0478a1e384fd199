import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useFilters } from "../../lib/filters";
import { count } from "../../lib/format";
import { AvatarRowSkeleton } from "../../ui/avatar-row-skeleton";
import { Button, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState, Loading } from "../../ui/states";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { CommentCard } from "./comment-card";
import { DeleteComment } from "./delete-comment";
import { commentCountsQuery, queueQuery, type CommentFilter } from "./queries";
import { ShortcutHint } from "./shortcuts";
import type { Step } from "./use-moderation";
import { useQueue } from "./use-queue";
import { done, filterAbout, filterName, nothingFound, opposite } from "./words";

const filters = Object.keys(filterName) as CommentFilter[];

/** The comments on all videos. Reported and waiting comments come first, and staff decide by keys or buttons. */
export default function Comments() {
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const filter = filters.find((one) => one === params.get("filter")) ?? "to_review";
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  const counts = useQuery({ ...commentCountsQuery(term), refetchInterval }).data;
  const comments = useInfiniteQuery({ ...queueQuery(filter, term), refetchInterval });
  const queue = useQueue(comments.data ?? []);

  return (
    <>
      <PageHead title="Comments" description="What families write under the videos, and what readers report" />
      <div className="mb-3 flex flex-wrap gap-3">
        <SearchBox
          label="Search comments"
          placeholder="Search by author, text or video..."
          value={term}
          onSearch={(q) => set({ q })}
          className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_18rem]"
        />
        <CollapsedFilters
          chosen={[`${filterName[filter]} ${counts?.[filter] ?? ""}`.trim()]}
          count={filter === "to_review" ? 0 : 1}
        >
          <Segmented
            label="Filter comments"
            value={filter}
            options={filters.map((value) => ({ value, label: filterName[value], note: counts?.[value] }))}
            onChange={(next) => set({ filter: next === "to_review" ? "" : next })}
            className="max-sm:flex-wrap max-sm:[&>button]:px-2.5"
          />
        </CollapsedFilters>
      </div>
      <p className="mb-3 text-sm text-muted">{filterAbout[filter]}</p>
      <h2 className="sr-only">{filterName[filter]}</h2>
      <Listing
        list={comments}
        what="comments"
        failed="Error loading comments"
        skeleton={<CommentsSkeleton />}
        empty={<Nothing filter={filter} term={term} set={set} />}
        end={counts && <p className="pt-4 text-sm text-muted tabular-nums">{count(counts[filter], "comment")}</p>}
      >
        {(all) => (
          <>
            <ShortcutHint />
            <ol aria-label={filterName[filter]} className="sheet overflow-clip">
              {all.map((comment) => (
                <li
                  key={comment.id}
                  ref={queue.rowRef(comment)}
                  tabIndex={-1}
                  aria-current={comment.id === queue.current?.id || undefined}
                  onFocus={() => queue.goTo(comment)}
                  className={cx(
                    "border-s-3 border-line p-4 not-first:border-t focus-visible:-outline-offset-3",
                    comment.id === queue.current?.id ? "border-s-amber bg-surface" : "border-s-transparent",
                  )}
                >
                  <CommentCard
                    comment={comment}
                    now={comments.dataUpdatedAt}
                    withVideo
                    busy={queue.busyWith(comment)}
                    onAct={(action) => queue.act(comment, action)}
                    onDelete={() => queue.remove(comment)}
                  />
                </li>
              ))}
            </ol>
          </>
        )}
      </Listing>
      {queue.last && <LastStep step={queue.last} onUndo={queue.undo} onClose={queue.forget} />}
      {queue.deleting && (
        <DeleteComment comment={queue.deleting} onDeleted={queue.forget} onClose={queue.closeDelete} />
      )}
    </>
  );
}

type LastStepProps = { step: Step; onUndo: () => void; onClose: () => void };

/** The last decision, with an Undo where that is possible. */
function LastStep({ step: { comment, action }, onUndo, onClose }: LastStepProps) {
  return (
    <div
      role="status"
      className="sheet sticky bottom-3 z-10 mt-4 flex items-center gap-3 py-1.5 ps-4 pe-1.5 shadow-high"
    >
      <p className="min-w-0 flex-1 text-sm">
        <span className="font-medium">
          {done[action].title}: <bdi>{comment.author_name}</bdi>.
        </span>{" "}
        <span className="text-muted">{done[action].description}</span>
      </p>
      {opposite(action, comment) && (
        <Button look="line" aria-keyshortcuts="U" onClick={onUndo} className="min-h-10 px-4 text-sm">
          Undo
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={onClose} />
    </div>
  );
}

type NothingProps = { filter: CommentFilter; term: string; set: ReturnType<typeof useFilters>["set"] };

/** Why the list is empty, and what to do next. */
function Nothing({ filter, term, set }: NothingProps) {
  if (term) {
    return (
      <EmptyState title="No comments found">
        <Button look="line" onClick={() => set({ q: "" })}>
          Clear Search
        </Button>
      </EmptyState>
    );
  }
  const all = filter === "all";
  return (
    <EmptyState
      title={nothingFound[filter]}
      text={
        filter === "to_review"
          ? "No reader reported a comment, and none waits to be read first."
          : all
            ? "What families write under the videos appears here."
            : undefined
      }
    >
      {!all && (
        <Button look="line" onClick={() => set({ filter: "all" })}>
          Show all comments
        </Button>
      )}
    </EmptyState>
  );
}

const CommentsSkeleton = () => (
  <Loading label="Loading comments" className="sheet overflow-clip">
    {Array.from({ length: 5 }, (_, i) => (
      <AvatarRowSkeleton
        key={i}
        lines={["h-5 w-2/5", "w-11/12", "h-8 w-44"]}
        className="border-line p-4 not-first:border-t"
      />
    ))}
  </Loading>
);
