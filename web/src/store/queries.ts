import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";

export const storeQuery = queryOptions({
  queryKey: ["store"],
  queryFn: ({ signal }) => send(api.GET("/api/store", { signal })),
});
