import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { asStaff } from "./session";

/** The totals for all families. */
export const summaryQuery = queryOptions({
  queryKey: ["admin", "users", "summary"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/users/summary", { signal })),
});

/** The camp's currency, which comes with the totals for families. */
export const useCurrency = () => useQuery(summaryQuery).data?.currency ?? "USD";
