import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import { siteQuery } from "../../api/queries";
import type { components } from "../../api/schema.gen";
import { asStaff, staffQuery } from "../session";
import type { Typed } from "./words";

type Schemas = components["schemas"];
export type Setting = Schemas["Setting"];
export type Difference = Schemas["SettingDifference"];
export type Values = Record<string, unknown>;

export const settingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/settings", { signal }))).items,
});

export const changeSettings = async (body: Values) => (await asStaff(api.PATCH("/api/admin/settings", { body }))).items;
export const previewSettings = async (body: Values) => (await asStaff(api.POST("/api/admin/settings/preview", { body }))).items;
export const exportSettings = () => asStaff(api.GET("/api/admin/settings/export", { parseAs: "text" }));

/** Call with what the server answered to a change: the page, the site and the door show what is in force now. */
export function useSettingsChanged() {
  const client = useQueryClient();
  return (items: Setting[]) => {
    client.setQueryData(settingsQuery.queryKey, items);
    for (const key of [siteQuery.queryKey, staffQuery.queryKey, ["admin", "audit"]]) void client.invalidateQueries({ queryKey: key });
  };
}

/** What somebody typed and has not saved. It outlives a walk to another page, but not the person's session. */
const typedQuery = queryOptions<Typed>({
  queryKey: ["settings-typed"],
  queryFn: skipToken,
  initialData: {},
  staleTime: Infinity,
  gcTime: Infinity,
});

export function useTyped() {
  const client = useQueryClient();
  const typed = useQuery(typedQuery).data ?? {};
  const change = (next: (now: Typed) => Typed) => client.setQueryData(typedQuery.queryKey, (now) => next(now ?? {}));
  return [typed, change] as const;
}
