import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";
import { firstAnswer } from "../api/first-answers";
import { pollInterval } from "../api/queries";
import type { List } from "./queries";

export const homeVideosQuery = queryOptions({
  queryKey: ["videos", "home"],
  queryFn: ({ signal }) => send(api.GET("/api/videos", { params: { query: { collection: "home" } }, signal })),
  ...firstAnswer<List>("/api/videos?collection=home"),
  // Polls, so that a scheduled video appears on an open page.
  refetchInterval: pollInterval,
});

/** The newest few videos of any year. The home page shows those that are not among its three. */
export const newestQuery = queryOptions({
  queryKey: ["videos", "newest"],
  queryFn: ({ signal }) => send(api.GET("/api/videos", { params: { query: { limit: 4 } }, signal })),
  ...firstAnswer<List>("/api/videos?limit=4"),
  refetchInterval: pollInterval,
});
