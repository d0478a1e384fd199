import type { ReactNode } from "react";
import { Button, type ButtonLook } from "./button";
import { cx } from "./class-names";

/** What the button needs to know of a list that is loaded page by page. */
type Pages = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => unknown;
};

/** Loads the next page of a list, as long as there is one. */
export function LoadMore({
  label,
  list,
  shown,
  look = "line",
  className = "pt-6",
}: {
  label: string;
  list: Pages;
  shown?: ReactNode;
  look?: ButtonLook;
  className?: string;
}) {
  const { isFetching, isFetchingNextPage: busy } = list;
  if (!list.hasNextPage) return null;
  async function more() {
    await list.fetchNextPage();
    // Loading the next page canceled a refresh that may have had new items.
    if (isFetching) list.refetch();
  }
  return (
    <div className={cx("flex flex-wrap items-center justify-center gap-x-4 gap-y-2", className)}>
      {list.isFetchNextPageError && (
        <p role="alert" className="w-full text-center text-sm text-clay">
          {list.error?.message}
        </p>
      )}
      {shown && <span className="text-sm text-muted tabular-nums">{shown}</span>}
      <Button look={look} busy={busy} onClick={() => void more()}>
        {busy ? "Loading..." : label}
      </Button>
    </div>
  );
}
