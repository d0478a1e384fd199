import { useMemo } from "react";
import { navigate, useAddress, useSearch, type Options } from "./navigation";

export { useHistoryState } from "wouter/use-browser-location";

/** The query parameters and a way to change them. The router's own hook decodes the query twice. */
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

/** Writes a hash into the URL without any scrolling. */
export const writeHash = (next: string) => History.prototype.replaceState.call(history, history.state, "", next);

const entryKey = () => window.navigation?.currentEntry?.key ?? "";

/** The key of the current entry in the tab's history. Browsers without the Navigation API do not reveal it. */
export const useEntryKey = () => useAddress(entryKey);

/**
 * How many history entries the current one is after that one. NaN if unknown. Indexes change once the browser drops the
 * oldest entries, after fifty of them.
 */
export function entriesSince(key: string) {
  const { navigation } = window;
  const index = navigation?.entries().find((entry) => entry.key === key)?.index ?? NaN;
  return (navigation?.currentEntry?.index ?? NaN) - index;
}
