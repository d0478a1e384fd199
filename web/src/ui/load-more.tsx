import type { ReactNode } from "react";
import { Button, type ButtonLook } from "./button";
import { cx } from "./class-names";

/** A list that comes page by page, as far as the button under it knows it. */
type Pages = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => unknown;
};

/** Leads on to the next page of a list, as long as there is one. */
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
    // The next page broke off the refresh that was under way, which may have been bringing news.
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
