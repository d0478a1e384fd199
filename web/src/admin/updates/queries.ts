import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import { nullIfNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type AdminUpdate = Schemas["AdminUpdate"];
export type NewUpdate = Schemas["NewUpdate"];
export type UpdatePatch = Schemas["UpdatePatch"];
export type TestUpdate = Schemas["TestUpdate"];
export type Priority = AdminUpdate["priority"];

export type Standing = "active" | "inactive" | "expired";
type AdminUpdateFilter = { q?: string; standing?: Standing; priority?: Priority };

export const updatesQuery = (filter: AdminUpdateFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "live-updates", filter],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/live-updates", {
          params: { query: { ...filter, limit: filter.q ? 100 : 25, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

/** How many people would get an email about an update posted now, and the author of this account's last update. */
export const reachQuery = queryOptions({
  queryKey: ["admin", "live-updates", "reach"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/live-updates/reach", { signal })),
  // The form says how many people get an email, so it asks again each time it is opened.
  staleTime: 0,
});

const at = (id: string) => ({ params: { path: { id } } });

export const readUpdate = ({ id }: AdminUpdate) =>
  nullIfNotFound(asStaff(api.GET("/api/admin/live-updates/{id}", at(id))));
export const createUpdate = (key: string, body: NewUpdate) =>
  asStaff(api.POST("/api/admin/live-updates", { params: { header: { "Idempotency-Key": key } }, body }));
/** Emails the update only to the signed-in person, without posting it. */
export const testUpdate = (body: TestUpdate) => asStaff(api.POST("/api/admin/live-updates/test", { body }));
export const editUpdate = (id: string, body: UpdatePatch) =>
  asStaff(api.PATCH("/api/admin/live-updates/{id}", { ...at(id), body }));
export const deleteUpdate = (id: string) => asStaff(api.DELETE("/api/admin/live-updates/{id}", at(id)));

/** Call after any change. Refetches the list and what families see. */
export function useUpdatesChanged() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ["live-updates"] });
    void client.invalidateQueries({ queryKey: ["updates"] });
    void client.invalidateQueries({ queryKey: ["admin", "dashboard"] });
    return client.invalidateQueries({ queryKey: ["admin", "live-updates"] });
  };
}
