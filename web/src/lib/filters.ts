import { useEffect, useRef } from "react";
import { useSearchParams } from "./address";

export type Filters = {
  params: URLSearchParams;
  /**
   * An empty value takes the key out. Each step is one to go back to, unless it is typed letter by letter or is said
   * to take the place of the last.
   */
  set: (changes: Record<string, string>, replace?: boolean) => void;
};

/** Reads the filters and the order of a list from the address bar and writes them there. */
export function useFilters(): Filters {
  const [params, setParams] = useSearchParams();
  // On a slow device the page renders some time after the address has changed: a search that changes in between must
  // not restore the previous address.
  const now = useRef(params);
  const pending = useRef<string[]>([]);
  useEffect(() => {
    // An earlier address that is rendered late is not taken for the current one.
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
