import type { ReactNode } from "react";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { cx } from "../../ui/class-names";
import { LoadMore } from "../../ui/load-more";
import { ErrorState } from "../../ui/states";
import { NotRefreshed } from "./not-refreshed";

type Props<Row> = {
  list: UseInfiniteQueryResult<Row[]>;
  /** "videos", as in "Load more videos". */
  what: string;
  /** What is said when there is nothing to show but the failure. */
  failed: string;
  skeleton: ReactNode;
  empty: ReactNode;
  children: (rows: Row[]) => ReactNode;
};

/** A list that is fetched page by page, in each of its states. */
export function Listing<Row>({ list, what, failed, skeleton, empty, children }: Props<Row>) {
  if (!list.data) return list.isError ? <ErrorState title={failed} error={list.error} retrying={list.isFetching} onRetry={list.refetch} /> : skeleton;
  return (
    <>
      {list.isRefetchError && <NotRefreshed what="list" retrying={list.isFetching} onRetry={list.refetch} />}
      {list.data.length > 0 ? (
        <div aria-busy={list.isPlaceholderData} className={cx(list.isPlaceholderData && "opacity-60")}>
          {children(list.data)}
          <LoadMore label={`Load more ${what}`} list={list} />
        </div>
      ) : (
        empty
      )}
    </>
  );
}
