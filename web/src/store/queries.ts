import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";
import { firstAnswer } from "../api/first-answers";
import type { components } from "../api/schema.gen";

export const storeQuery = queryOptions({
  queryKey: ["store"],
  queryFn: ({ signal }) => send(api.GET("/api/store", { signal })),
  ...firstAnswer<components["schemas"]["Store"]>("/api/store"),
});
