import type { ReactNode } from "react";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { LoadMore } from "../../lib/load-more";
import { cx } from "../../ui/class-names";
import { ErrorState } from "../../ui/states";
import { NotRefreshed } from "./not-refreshed";

type Props<Row> = {
  list: UseQueryResult<Row[]> | UseInfiniteQueryResult<Row[]>;
  /** The plural noun, as in "Load more videos": "videos". */
  what: string;
  /** The title of the error that replaces the list when there are no rows. */
  failed: string;
  skeleton: ReactNode;
  empty: ReactNode;
  /** What is out of date when a refresh fails. */
  name?: string;
  /** Set where one press retries more than the list. */
  retry?: { retrying: boolean; onRetry: () => unknown };
  /** "1 to 25 of 80", beside "Load more". */
  range?: ReactNode;
  /** Shown below the last row. */
  end?: ReactNode;
  children: (rows: Row[]) => ReactNode;
};

/** A list in each of its states. If it has several pages, they are fetched one by one. */
export function Listing<Row>({
  list,
  what,
  failed,
  skeleton,
  empty,
  name = "list",
  retry = { retrying: list.isFetching, onRetry: list.refetch },
  range,
  end,
  children,
}: Props<Row>) {
  if (!list.data) return list.isError ? <ErrorState title={failed} error={list.error} {...retry} /> : skeleton;
  return (
    <>
      {list.isRefetchError && <NotRefreshed what={name} {...retry} />}
      {list.data.length > 0 ? (
        <div aria-busy={list.isPlaceholderData} className={cx(list.isPlaceholderData && "opacity-60")}>
          {children(list.data)}
          {"fetchNextPage" in list && list.hasNextPage ? (
            <LoadMore label={`Load more ${what}`} list={list} shown={range} />
          ) : (
            end
          )}
        </div>
      ) : (
        empty
      )}
    </>
  );
}
