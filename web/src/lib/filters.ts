import { useEffect, useRef } from "react";
import { useSearchParams } from "./address";

export type Filters = {
  params: URLSearchParams;
  /**
   * An empty value removes the key. Each change adds a history entry, except letter-by-letter typing, or if `replace`
   * is set.
   */
  set: (changes: Record<string, string>, replace?: boolean) => void;
};

/** Reads the filters and order of a list from the URL, and writes them there. */
export function useFilters(): Filters {
  const [params, setParams] = useSearchParams();
  // On a slow device the page renders some time after the URL has changed. A search that changes in between must not
  // restore the previous URL.
  const now = useRef(params);
  const pending = useRef<string[]>([]);
  useEffect(() => {
    // An earlier URL that renders late must not be mistaken for the current one.
    pending.current = pending.current.slice(
      pending.current.lastIndexOf(params.toString()) + 1 || pending.current.length,
    );
    if (pending.current.length === 0) now.current = params;
  }, [params]);
  return {
    params,
    set: (changes, replace = Object.keys(changes).every((key) => key === "q")) => {
      const next = new URLSearchParams(now.current);
      for (const [key, value] of Object.entries(changes)) {
        if (value) next.set(key, value);
        else next.delete(key);
      }
      if (next.toString() === now.current.toString()) return;
      now.current = next;
      pending.current.push(next.toString());
      setParams(next, { replace });
    },
  };
}
