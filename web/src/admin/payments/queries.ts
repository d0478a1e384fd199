import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";

type Schemas = components["schemas"];
export type Entry = Schemas["JournalEntry"];
export type Totals = Schemas["JournalTotals"];
/** The first and the last day, both included. */
export type Days = { from?: string; to?: string };

export const journalQuery = (days: Days) =>
  infiniteQueryOptions({
    queryKey: ["admin", "payments", "list", days],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...days, limit: 50, ...(pageParam ? { cursor: pageParam } : {}) };
      return asStaff(api.GET("/api/admin/payments", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const totalsQuery = (days: Days) =>
  queryOptions({
    queryKey: ["admin", "payments", "totals", days],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/payments/totals", { params: { query: days }, signal })),
    placeholderData: keepPreviousData,
  });

/** Reads bytes, because text would lose the byte order mark by which spreadsheets recognize UTF-8. */
export const journalTable = (days: Days) =>
  asStaff<Blob>(api.GET("/api/admin/payments.csv", { params: { query: days }, parseAs: "blob" }));
