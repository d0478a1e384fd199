import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";

export const paymentsQuery = queryOptions({
  queryKey: ["payments"],
  queryFn: ({ signal }) => send(api.GET("/api/profile/payments", { signal })),
});
