import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, send, type LiveUpdate } from "../api/client";
import { pollInterval } from "../api/queries";

/** The number of updates on the home page. */
export const newestLimit = 10;

export const newestUpdatesQuery = queryOptions({
  queryKey: ["updates", "newest"],
  queryFn: ({ signal }) => send(api.GET("/api/live-updates", { params: { query: { limit: newestLimit } }, signal })),
  refetchInterval: pollInterval,
});

export const allUpdatesQuery = infiniteQueryOptions({
  queryKey: ["updates", "all"],
  queryFn: ({ pageParam, signal }) =>
    send(
      api.GET("/api/live-updates", {
        params: { query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) } },
        signal,
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next,
  select: ({ pages }) => pages.flatMap((page) => page.items),
  refetchInterval: pollInterval,
});

export const updateQuery = (id: string) =>
  queryOptions({
    queryKey: ["update", id],
    queryFn: ({ signal }) => send(api.GET("/api/live-updates/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data ? pollInterval() : false),
  });

const alarm = 24 * 60 * 60_000;

export const isPinned = ({ pinned_until: end }: LiveUpdate, now: Date) => end != null && Date.parse(end) > Number(now);

function place(update: LiveUpdate, now: Date) {
  if (update.priority === "high" && Number(now) - Date.parse(update.created_at) < alarm) return 2;
  return isPinned(update, now) ? 1 : 0;
}

/**
 * High Priority updates of the last 24 hours, then pinned ones, then the rest, each the newest first. The server has the
 * same order; an open page keeps it while time passes.
 */
export const inOrder = (updates: readonly LiveUpdate[], now: Date): LiveUpdate[] =>
  updates.toSorted((a, b) => place(b, now) - place(a, now) || Date.parse(b.created_at) - Date.parse(a.created_at));

/** Inserts or replaces an update. */
export const insertUpdate = (updates: readonly LiveUpdate[], update: LiveUpdate): LiveUpdate[] =>
  inOrder([...updates.filter(({ id }) => id !== update.id), update], new Date());
