import { queryOptions, keepPreviousData, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";

type Schemas = components["schemas"];
export type AdminFaq = Schemas["AdminFaq"];
export type Category = Schemas["FaqCategory"];
export type NewFaq = Schemas["NewFaq"];
export type FaqPatch = Schemas["FaqPatch"];

export const categories: readonly Category[] = [
  "Schedule",
  "What to Bring",
  "Safety & Security",
  "Policies",
  "Communication",
];

async function all(filter: { q?: string; category?: Category }, signal?: AbortSignal) {
  const found: AdminFaq[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { ...filter, limit: 100, ...(cursor ? { cursor } : {}) };
    const page: { items: AdminFaq[]; next?: string | null } = await asStaff(
      api.GET("/api/admin/faq", { params: { query }, signal }),
    );
    found.push(...page.items);
    cursor = page.next;
  } while (cursor && found.length < 2_000);
  return found;
}

/** Loads all questions at once, because sorting needs the whole list. */
export const faqQuery = (filter: { q?: string; category?: Category }) =>
  queryOptions({
    queryKey: ["admin", "faq", filter],
    queryFn: ({ signal }) => all(filter, signal),
    placeholderData: keepPreviousData,
  });

export const faqStatsQuery = queryOptions({
  queryKey: ["admin", "faq-stats"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/faq/stats", { signal })),
});

/** The current values of placeholders such as `{access_answer}`. */
export const placeholdersQuery = queryOptions({
  queryKey: ["admin", "faq-placeholders"],
  queryFn: async ({ signal }) => (await asStaff(api.GET("/api/admin/faq/placeholders", { signal }))).items,
});

const at = (id: string) => ({ params: { path: { id } } });

export const readFaq = async ({ id }: AdminFaq) => (await all({})).find((entry) => entry.id === id) ?? null;
export const addFaq = (key: string, body: NewFaq) =>
  asStaff(api.POST("/api/admin/faq", { params: { header: { "Idempotency-Key": key } }, body }));
export const changeFaq = (id: string, body: FaqPatch) => asStaff(api.PATCH("/api/admin/faq/{id}", { ...at(id), body }));
export const deleteFaq = (id: string) => asStaff(api.DELETE("/api/admin/faq/{id}", at(id)));
export const orderFaq = (ids: string[]) => asStaff(api.PUT("/api/admin/faq/order", { body: { ids } }));

export function useFaqChanged() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ["faq"] });
    return Promise.all(
      ["faq", "faq-stats", "dashboard"].map((part) => client.invalidateQueries({ queryKey: ["admin", part] })),
    );
  };
}
