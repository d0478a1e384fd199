import { useSearchParams } from "react-router";

export type Filters = {
  params: URLSearchParams;
  /** An empty value takes the key out. Each step is one to go back to only where it is asked for. */
  set: (changes: Record<string, string>, replace?: boolean) => void;
};

/** What a list is filtered and sorted by stands in the address bar. */
export function useFilters(): Filters {
  const [params, setParams] = useSearchParams();
  return {
    params,
    set: (changes, replace = true) =>
      setParams((now) => {
        for (const [key, value] of Object.entries(changes)) {
          if (value) now.set(key, value);
          else now.delete(key);
        }
        return now;
      }, { replace }),
  };
}
