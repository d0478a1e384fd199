import { MutationCache, QueryCache, QueryClient, queryOptions, useQuery, useQueryClient, type InvalidateOptions, type Query, type RefetchQueryFilters } from "@tanstack/react-query";
import { api, isApiError, send, type SessionUser, type Site } from "./client";

/** How often a page that is being looked at asks for news. */
export const everyThirtySeconds = 30_000;

let told = false;

/** Whether the server tells this page its news by itself. */
export function setEventsConnected(yes: boolean) {
  told = yes;
}

/** Asking is the safety net under being told. */
export const pollInterval = () => (told ? 5 * 60_000 : everyThirtySeconds);

/** The next page of a list that is on its way, if one is. */
export const nextPage = ({ state, promise }: Query) => (state.fetchStatus === "fetching" && state.fetchMeta?.fetchMore ? promise?.catch(() => undefined) : undefined);

/** A refresh waits for the next page of a list: it would break it off, and the press that asked for it would be lost. */
class PatientClient extends QueryClient {
  override async refetchQueries(filters: RefetchQueryFilters = {}, options?: InvalidateOptions) {
    const growing = this.getQueryCache().findAll(filters as object).filter(nextPage);
    await Promise.all([
      super.refetchQueries({ ...filters, predicate: (query) => !growing.includes(query) && (filters.predicate?.(query) ?? true) }, options),
      ...growing.map(async (query) => {
        await nextPage(query);
        await super.refetchQueries({ queryKey: query.queryKey, exact: true, type: "active" }, options);
      }),
    ]);
  }
}

export function makeQueryClient(): QueryClient {
  // The server no longer knows this person: the header and the forms should not pretend otherwise.
  const onError = (error: unknown) => {
    const known = client.getQueryData(sessionQuery.queryKey)?.user;
    if (known && isApiError(error, "sign_in_required")) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const client = new PatientClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // Offline is an error that the page shows with a Retry, not an endless skeleton.
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

/** What the server put into the page, so that the first paint needs no request. */
function boot(): { site?: Site } {
  const text = document.getElementById("boot")?.textContent;
  if (!text) return {};
  try {
    return JSON.parse(text) as { site?: Site };
  } catch {
    return {};
  }
}

export const siteQuery = queryOptions({
  queryKey: ["site"],
  queryFn: () => send(api.GET("/api/site")),
  initialData: () => boot().site,
  staleTime: everyThirtySeconds,
});

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => send(api.GET("/api/session")),
  staleTime: 60_000,
  refetchInterval: ({ state }) => (state.status === "error" && !state.data ? 10_000 : false),
});

export const useSite = (): Site | undefined => useQuery(siteQuery).data;

/** Pending until the server has said who is there: a server in trouble makes nobody a stranger. */
export function useSession(): { user: SessionUser | null; pending: boolean } {
  const { data } = useQuery(sessionQuery);
  return { user: data?.user ?? null, pending: !data };
}

/** Call after signing in or out: what one person may see is nobody else's business. */
export function useSessionChanged() {
  const client = useQueryClient();
  return async (user: SessionUser | null) => {
    await client.cancelQueries();
    client.setQueryData(sessionQuery.queryKey, { user });
    // An invitation is its token's, and once it was spent there is nothing to ask.
    const keep = [siteQuery.queryKey[0], sessionQuery.queryKey[0], "invitation"];
    client.removeQueries({ predicate: ({ queryKey }) => !keep.includes(String(queryKey[0])), type: "inactive" });
    await client.resetQueries({ predicate: ({ queryKey }) => !keep.includes(String(queryKey[0])), type: "active" });
  };
}
