import { useMemo, useSyncExternalStore } from "react";
import { navigate, subscribe, useAddress, useSearch, type Options } from "./navigation";

/** What `navigate` wrote into the entry of the history; nothing in the first render. */
export const useHistoryState = () =>
  useSyncExternalStore<unknown>(
    subscribe,
    () => history.state,
    () => null,
  );

/** The parameters of the query and how to change them. */
export function useSearchParams() {
  const search = useSearch();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, setSearchParams] as const;
}

type Query = URLSearchParams | Record<string, string>;

function setSearchParams(next: Query | ((now: URLSearchParams) => Query), options?: Options) {
  const changed = typeof next === "function" ? next(new URLSearchParams(location.search)) : next;
  const search = new URLSearchParams(changed).toString();
  navigate(location.pathname + (search && `?${search}`), options);
}

/** Writes a hash into the address that nothing scrolls to. */
export const writeHash = (next: string) => History.prototype.replaceState.call(history, history.state, "", next);

/** The index of the current entry in the tab's history; browsers without the Navigation API do not tell it. */
export const currentEntry = () => window.navigation?.currentEntry?.index ?? NaN;
export const useCurrentEntry = () => useAddress(currentEntry);
