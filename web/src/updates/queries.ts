import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";
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
