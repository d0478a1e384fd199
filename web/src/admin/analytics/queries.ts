import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import type { Period } from "./words";

type Schemas = components["schemas"];
export type Analytics = Schemas["Analytics"];
export type Day = Schemas["AnalyticsDay"];
export type Figure = Schemas["Figure"];
export type Activity = Schemas["Activity"];

const during = (period: Period) => ({ params: { query: { period } } });

export const analyticsQuery = (period: Period) =>
  queryOptions({
    queryKey: ["admin", "analytics", period],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/analytics", { ...during(period), signal })),
    placeholderData: keepPreviousData,
  });

export const analyticsTable = (period: Period) =>
  asStaff(api.GET("/api/admin/analytics.csv", { ...during(period), parseAs: "text" }));
