import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components, operations } from "../../api/schema.gen";
import { asStaff } from "../shared/session";

type Schemas = components["schemas"];
export type Entry = Schemas["AuditEntry"];
export type Line = Schemas["AuditLine"];
export type Menus = Schemas["AuditFilters"];
export type Filter = Omit<NonNullable<operations["get_admin_audit"]["parameters"]["query"]>, "cursor" | "limit">;

export const auditQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "audit", "list", filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: 50, ...(pageParam ? { cursor: pageParam } : {}) };
      return asStaff(api.GET("/api/admin/audit", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const menusQuery = queryOptions({
  queryKey: ["admin", "audit", "filters"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/audit/filters", { signal })),
  staleTime: 60_000,
});

/** Reads bytes, because text would lose the byte order mark by which spreadsheets recognize UTF-8. */
export const auditTable = (filter: Filter) =>
  asStaff<Blob>(api.GET("/api/admin/audit.csv", { params: { query: filter }, parseAs: "blob" }));
