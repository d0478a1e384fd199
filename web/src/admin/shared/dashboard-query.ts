import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "./session";

export type Dashboard = components["schemas"]["Dashboard"];
export type Tiles = Dashboard["tiles"];
export type Attention = Dashboard["attention"];

/** The counts of all pages, and what needs attention. */
export const dashboardQuery = queryOptions({
  queryKey: ["admin", "dashboard"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/dashboard", { signal })),
});
