import { useEffect, useEffectEvent, useRef, type ReactNode } from "react";
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

/**
 * Loads the next page of a list, as long as there is one: at a tap, or with `early` by itself as soon as less than a
 * screen is left before the end.
 */
export function LoadMore({
  label,
  list,
  shown,
  look = "line",
  className = "pt-6",
  early = false,
}: {
  label: string;
  list: Pages;
  shown?: ReactNode;
  look?: ButtonLook;
  className?: string;
  early?: boolean;
}) {
  const { isFetching, isFetchingNextPage: busy, hasNextPage } = list;
  const end = useRef<HTMLDivElement>(null);
  async function more() {
    await list.fetchNextPage();
    // Loading the next page canceled a refresh that may have had new items.
    if (isFetching) list.refetch();
  }
  const moreWhenNear = useEffectEvent((entries: IntersectionObserverEntry[]) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) void more();
  });
  useEffect(() => {
    if (!early || !hasNextPage || !end.current) return;
    const observer = new IntersectionObserver((entries) => moreWhenNear(entries), { rootMargin: "0px 0px 100% 0px" });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [early, hasNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className={cx("flex flex-wrap items-center justify-center gap-x-4 gap-y-2", className)}>
      {list.isFetchNextPageError && (
        <p role="alert" className="w-full text-center text-sm text-clay">
          {list.error?.message}
        </p>
      )}
      {shown && <span className="text-sm text-muted tabular-nums">{shown}</span>}
      <Button look={look} busy={busy} onClick={() => void more()}>
        {busy ? "Loading..." : list.isFetchNextPageError ? "Retry" : label}
      </Button>
    </div>
  );
}
