import { useReducer } from "react";
import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import { siteQuery } from "../../api/queries";
import type { components } from "../../api/schema.gen";
import { fileBody } from "../shared/file-body";
import { asStaff, staffQuery } from "../shared/session";
import type { Typed } from "./words";

type Schemas = components["schemas"];
export type Setting = Schemas["Setting"];
export type Difference = Schemas["SettingDifference"];
export type ExtraTime = Schemas["ExtraTime"];
export type Values = Record<string, unknown>;

export const settingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/settings", { signal }))).items,
});

/**
 * `seen` has the previous values of the changed settings. The server refuses the change if one of them is different
 * now.
 */
export const changeSettings = async (values: Values, seen: Values) =>
  (await asStaff(api.PATCH("/api/admin/settings", { body: { ...values, seen } }))).items;
export type PicturePlace = "logo" | "hero";
export const addPicture = async (place: PicturePlace, file: File) =>
  (
    await asStaff(
      api.POST("/api/admin/settings/pictures/{place}", {
        params: { path: { place } },
        ...fileBody(file),
        headers: { "Content-Type": file.type || "image/*" },
      }),
    )
  ).items;
export const previewSettings = async (body: Values) =>
  (await asStaff(api.POST("/api/admin/settings/preview", { body }))).items;
export const exportSettings = () => asStaff(api.GET("/api/admin/settings/export", { parseAs: "text" }));

/** The next ten quiet times with these changes. The changes are JSON, so that they can be a query key. */
export const previewQuietQuery = (changes: string) =>
  queryOptions({
    queryKey: ["admin", "settings", "quiet-preview", changes],
    queryFn: async ({ signal }) =>
      (await asStaff(api.POST("/api/admin/quiet-time/preview", { body: JSON.parse(changes) as Values, signal }))).items,
    retry: false,
  });

export const placesQuery = queryOptions({
  queryKey: ["admin", "quiet-places"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/quiet-time/places", { signal }))).items,
  staleTime: Infinity,
});

/** Reads a calendar file without saving anything. */
export const readCalendar = (text: string) => asStaff(api.POST("/api/admin/quiet-time/calendar", { body: { text } }));

/** Call with the response to a change. Updates the page, the site and the session. */
export function useSettingsChanged() {
  const client = useQueryClient();
  return (items: Setting[]) => {
    client.setQueryData(settingsQuery.queryKey, items);
    // The site's colors are in a style sheet whose URL changes with them.
    void client.fetchQuery({ ...siteQuery, staleTime: 0 }).then(
      ({ style_sheet }) => applyStyleSheet(style_sheet ?? null),
      () => undefined,
    );
    for (const key of [siteQuery.queryKey, staffQuery.queryKey, ["admin", "audit"]])
      void client.invalidateQueries({ queryKey: key });
  };
}

function applyStyleSheet(address: string | null) {
  const before = document.head.querySelector<HTMLLinkElement>('link[rel="stylesheet"][href^="/look.css"]');
  if (before?.getAttribute("href") === address) return;
  if (address)
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: address }));
  before?.remove();
}

/**
 * The values of the settings from when somebody started typing. The server compares them before it changes anything.
 */
const seenQuery = queryOptions<Values>({
  queryKey: ["settings-seen"],
  queryFn: skipToken,
  initialData: {},
  staleTime: Infinity,
  gcTime: Infinity,
});

export function useSeen() {
  const client = useQueryClient();
  return {
    of: (keys: string[]): Values => {
      const seen = client.getQueryData(seenQuery.queryKey) ?? {};
      return Object.fromEntries(keys.filter((key) => key in seen).map((key) => [key, seen[key]]));
    },
    note: ({ key, value }: Setting) =>
      client.setQueryData(seenQuery.queryKey, (seen = {}) => (key in seen ? seen : { ...seen, [key]: value })),
    forget: (keys: string[]) =>
      client.setQueryData(seenQuery.queryKey, (seen = {}) =>
        Object.fromEntries(Object.entries(seen).filter(([key]) => !keys.includes(key))),
      ),
  };
}

/** What was typed but not saved. It survives a visit to another page, but not the end of the session. */
const typedQuery = queryOptions<Typed>({
  queryKey: ["settings-typed"],
  queryFn: skipToken,
  initialData: {},
  staleTime: Infinity,
  gcTime: Infinity,
});

export function useTypedSettings() {
  const client = useQueryClient();
  const typed = useQuery(typedQuery).data ?? {};
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const change = (next: (now: Typed) => Typed) => {
    client.setQueryData(typedQuery.queryKey, (now) => next(now ?? {}));
    // Renders now, because the cache notifies its observers asynchronously and a fast typist would already be at the
    // next letter.
    draw();
  };
  return [typed, change] as const;
}

/** Drops what was typed for these keys and the values seen before, because other values are in effect now. */
export function useForgetTyped() {
  const seen = useSeen();
  const [, setTyped] = useTypedSettings();
  return (keys: string[]) => {
    seen.forget(keys);
    setTyped((now) => Object.fromEntries(Object.entries(now).filter(([key]) => !keys.includes(key))));
  };
}
