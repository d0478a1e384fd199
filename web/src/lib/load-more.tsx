import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from "react";
import { isCancelledError } from "@tanstack/react-query";
import { useSearch } from "./navigation";
import { Button, type ButtonLook } from "../ui/button";
import { cx } from "../ui/class-names";

/** What the button needs to know about a list that loads page by page. */
type Pages = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: (options: { throwOnError: true }) => Promise<unknown>;
  refetch: () => unknown;
};

const failureOf = (error: Error) => (isCancelledError(error) ? null : error);

/**
 * Loads the next page of a list, as long as there is one: at a tap, or with `early` by itself when less than a screen
 * is left. A failure stays visible until the next try, even if a refresh of the list succeeds in between. A browser
 * that is back online tries again by itself.
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
  // Other filters in the URL make a different list, which has not failed.
  const search = useSearch();
  const [failed, setFailed] = useState<{ error: Error | null; search: string }>();
  const failure = failed?.search === search ? failed.error : null;
  async function more() {
    // The list's own error may be gone by now, because a refresh may have started.
    setFailed({ error: await list.fetchNextPage({ throwOnError: true }).then(() => null, failureOf), search });
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
  const moreWhenOnline = useEffectEvent(() => void more());
  useEffect(() => {
    if (!failure) return;
    const retry = () => moreWhenOnline();
    addEventListener("online", retry);
    return () => removeEventListener("online", retry);
  }, [failure]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className={cx("flex flex-wrap items-center justify-center gap-x-4 gap-y-2", className)}>
      {failure && (
        <p role="alert" className="w-full text-center text-sm text-clay">
          {failure.message}
        </p>
      )}
      {shown && <span className="text-sm text-muted tabular-nums">{shown}</span>}
      <Button look={look} busy={busy} onClick={() => void more()}>
        {busy ? "Loading..." : failure ? "Retry" : label}
      </Button>
    </div>
  );
}
