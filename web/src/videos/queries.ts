import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, send, type Video, type VideoCard } from "../api/client";
import { firstAnswer } from "../api/first-answers";
import { pollInterval } from "../api/queries";

export type Sort = "newest" | "popular";
type ListFilter = {
  collection: "current" | "archive";
  q?: string | undefined;
  sort?: Sort | undefined;
  year?: number | undefined;
};

/**
 * How many videos a list starts with: more than fit on a screen, but few enough for a short page. Scrolling down loads
 * the rest.
 */
export const firstVideos = 24;

export type List = { items: VideoCard[]; next?: string | null };

const listAddress = ({ collection, q, sort, year }: ListFilter) =>
  `/api/videos?${new URLSearchParams(
    Object.entries({ collection, q, sort, year, limit: firstVideos }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )}`;

export const videosQuery = (filter: ListFilter) =>
  infiniteQueryOptions({
    queryKey: ["videos", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      send(
        api.GET("/api/videos", {
          params: { query: { ...filter, ...(pageParam ? { cursor: pageParam, limit: 100 } : { limit: firstVideos }) } },
          signal,
        }),
      ),
    initialPageParam: "",
    ...firstAnswer(listAddress(filter), (page: List) => ({ pages: [page], pageParams: [""] })),
    getNextPageParam: (page) => page.next,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    refetchInterval: filter.collection === "current" ? pollInterval : false,
  });

export const yearsQuery = queryOptions({
  queryKey: ["videos", "years"],
  queryFn: ({ signal }) => send(api.GET("/api/videos/years", { signal })),
  ...firstAnswer<{ items: { year: number; count: number }[] }>("/api/videos/years"),
});

/** How many archived videos a search finds. */
export const foundQuery = (q: string) =>
  queryOptions({
    queryKey: ["videos", "years", q],
    queryFn: ({ signal }) => send(api.GET("/api/videos/years", { params: { query: { q } }, signal })),
    select: ({ items }) => items.reduce((sum, { count }) => sum + count, 0),
  });

export const videoQuery = (id: string) =>
  queryOptions({
    queryKey: ["video", id],
    queryFn: ({ signal }) => send(api.GET("/api/videos/{id}", { params: { path: { id } }, signal })),
    ...firstAnswer<Video>(`/api/videos/${id}`),
    refetchInterval: ({ state }) => (state.data ? pollInterval() : false),
  });

export const countView = (id: string) => send(api.POST("/api/videos/{id}/views", { params: { path: { id } } }));

/** Saves in the account where the viewer stopped, even while the page is closing. */
export const keepPlace = (id: string, seconds: number) =>
  send(api.PUT("/api/videos/{id}/position", { params: { path: { id } }, body: { seconds }, keepalive: true }));

export const setLike = (id: string, liked: boolean) =>
  send(
    liked
      ? api.PUT("/api/videos/{id}/like", { params: { path: { id } } })
      : api.DELETE("/api/videos/{id}/like", { params: { path: { id } } }),
  );
