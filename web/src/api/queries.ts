import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
  type InvalidateOptions,
  type Query,
  type RefetchQueryFilters,
} from "@tanstack/react-query";
import { setCampZone } from "../lib/format";
import { boot } from "./boot";
import { api, isApiError, send, type SessionUser, type Site } from "./client";

/** How often a visible page polls for changes. */
export const everyThirtySeconds = 30_000;
const everyFiveMinutes = 5 * 60_000;

let eventsConnected = false;

/** Whether the stream of server-sent events is connected. */
export function setEventsConnected(connected: boolean) {
  eventsConnected = connected;
}

/** Polls less often while the stream is connected. */
export const pollInterval = () => (eventsConnected ? everyFiveMinutes : everyThirtySeconds);

/** The running request for the next page of a list, if there is one. */
export const nextPage = ({ state, promise }: Query) =>
  state.fetchStatus === "fetching" && state.fetchMeta?.fetchMore ? promise?.catch(() => undefined) : undefined;

/**
 * Makes a refresh wait for the next page of a list. Otherwise it would cancel that request, and the button press would
 * be lost.
 */
class PatientClient extends QueryClient {
  override async refetchQueries(filters: RefetchQueryFilters = {}, options?: InvalidateOptions) {
    const growing = this.getQueryCache()
      .findAll(filters as object)
      .filter(nextPage);
    await Promise.all([
      super.refetchQueries(
        { ...filters, predicate: (query) => !growing.includes(query) && (filters.predicate?.(query) ?? true) },
        options,
      ),
      ...growing.map(async (query) => {
        await nextPage(query);
        await super.refetchQueries({ queryKey: query.queryKey, exact: true, type: "active" }, options);
      }),
    ]);
  }
}

export function makeQueryClient(): QueryClient {
  // The session has ended, and the header and forms must show that.
  const onError = (error: unknown) => {
    const known = client.getQueryData(sessionQuery.queryKey)?.user;
    if (known && isApiError(error, "sign_in_required"))
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const client = new PatientClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Offline, the page shows an error with a Retry instead of an endless skeleton.
        networkMode: "always",
        retry: (failures, error) => failures < 2 && worthAnotherTry(error),
        retryDelay: (attempt) => 800 * 2 ** attempt,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return client;
}

const worthAnotherTry = (error: unknown) => isApiError(error) && (error.code === "network" || error.status >= 500);

function withZone(site: Site) {
  setCampZone(site.timezone, site.utc_offsets);
  return site;
}

export const siteQuery = queryOptions({
  queryKey: ["site"],
  queryFn: () => send(api.GET("/api/site")).then(withZone),
  initialData: () => {
    const { site } = boot();
    return site && withZone(site);
  },
  staleTime: everyThirtySeconds,
});

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => send(api.GET("/api/session")),
  // The link in the email may be opened on another device, and the camp approves people elsewhere.
  staleTime: ({ state: { data } }) =>
    data?.user?.email_verified === false || data?.user?.awaiting_approval ? 5_000 : 60_000,
  refetchInterval({ state: { data, status } }) {
    if (!data) return status === "error" ? 10_000 : false;
    if (!data.user) return false;
    // Without access there is no event stream, whose end would show that the session has ended.
    return data.user.awaiting_approval ? everyThirtySeconds : everyFiveMinutes;
  },
});

export const useSite = (): Site | undefined => useQuery(siteQuery).data;

/** Pending until the server has answered: an error does not count as signed out. */
export function useSession(): { user: SessionUser | null; pending: boolean; failed: boolean } {
  const { data, isError } = useQuery(sessionQuery);
  return { user: data?.user ?? null, pending: !data, failed: !data && isError };
}
