import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components, operations } from "../../api/schema.gen";
import { asStaff } from "../shared/session";

type Schemas = components["schemas"];
export type Family = Schemas["FamilyRow"];
export type FamilyDetail = Schemas["FamilyDetail"];
export type FamilyPatch = Schemas["FamilyPatch"];
export type NewFamily = Schemas["NewFamily"];
export type Plan = Schemas["PaymentPlan"];
export type Payment = Schemas["Payment"];
export type FamilyPayment = Schemas["FamilyPayment"];
export type NewPayment = Schemas["NewPayment"];
type Recorded = Schemas["RecordedPayment"];
export type Summary = Schemas["FamilySummary"];
export type Merged = Schemas["MergedFamily"];
export type ImportReport = Schemas["FamilyImport"];
type ImportTable = Omit<Schemas["FamilyTable"], "dry_run" | "update"> & {
  dry_run: boolean;
  update?: Schemas["FamilyImportTick"][];
};
export type ImportChange = Schemas["FamilyImportChange"];
export type RecentImport = Schemas["RecentFamilyImport"];
export type UndoneImport = Schemas["UndoneFamilyImport"];
export type MergedTotal = Schemas["MergedTotal"];
export type TextEncoding = Schemas["TextEncoding"];
export type Statement = Schemas["FamilyStatement"];
export type Standing = "waiting" | "approved" | "refused";
export type Decided = Schemas["Decided"];
export type Decision = "approve" | "refuse";
type FamilyPage = { items: Family[]; next?: string | null };

type Query = NonNullable<operations["get_admin_users"]["parameters"]["query"]>;
export type Filter = NonNullable<Query["filter"]>;
export type Sort = NonNullable<Query["sort"]>;
export type Direction = NonNullable<Query["direction"]>;
export type Search = { q?: string; filter?: Filter; sort?: Sort; direction?: Direction };

const pageSize = 50;

/** Families in pages of fifty. The newest come first, unless another order is requested. */
export const usersQuery = (search: Search, limit = pageSize) =>
  infiniteQueryOptions({
    queryKey: ["admin", "users", "list", search, limit],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/users", {
          params: { query: { ...search, limit, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const familyQuery = (id: string) =>
  queryOptions({ queryKey: ["admin", "users", "one", id], queryFn: ({ signal }) => readFamily(id, signal) });

export const statementQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "users", "statement", id],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/users/{id}/statement", { ...at(id), signal })),
  });

/** The imports of the last day, which can still be undone. */
export const importsQuery = queryOptions({
  queryKey: ["admin", "users", "imports"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/users/imports", { signal })),
});

const at = (id: string) => ({ params: { path: { id } } });

export const readFamily = (id: string, signal?: AbortSignal): Promise<FamilyDetail> =>
  asStaff(api.GET("/api/admin/users/{id}", { ...at(id), signal }));
export const addFamily = (body: NewFamily) => asStaff(api.POST("/api/admin/users", { body }));
export const editFamily = (id: string, body: FamilyPatch): Promise<FamilyDetail> =>
  asStaff(api.PATCH("/api/admin/users/{id}", { ...at(id), body }));
export const deleteFamily = (id: string) => asStaff(api.DELETE("/api/admin/users/{id}", at(id)));
export const recordPayment = (id: string, key: string, body: NewPayment): Promise<Recorded> =>
  asStaff(
    api.POST("/api/admin/users/{id}/payments", { params: { path: { id }, header: { "Idempotency-Key": key } }, body }),
  );
export const voidPayment = (id: string, key: string, body: Schemas["NewVoid"]): Promise<Recorded> =>
  asStaff(
    api.POST("/api/admin/payments/{id}/void", { params: { path: { id }, header: { "Idempotency-Key": key } }, body }),
  );
export const invite = (id: string) => asStaff(api.POST("/api/admin/users/{id}/invite", at(id)));
export const invitationLink = (id: string) => asStaff(api.POST("/api/admin/users/{id}/invitation-link", at(id)));
/** Approves or refuses a family, unless somebody else has decided since `seen`. */
export function decide(id: string, decision: Decision, seen: Standing): Promise<Decided> {
  const asked = { params: { path: { id }, query: { seen } } };
  return asStaff(
    decision === "approve"
      ? api.POST("/api/admin/users/{id}/approve", asked)
      : api.POST("/api/admin/users/{id}/refuse", asked),
  );
}
/** Removes a login from a family. */
export const removeLogin = (id: string, user_id: string) =>
  asStaff(api.DELETE("/api/admin/users/{id}/logins/{user_id}", { params: { path: { id, user_id } } }));
export const clearLimits = (id: string) => asStaff(api.POST("/api/admin/users/{id}/clear-limits", at(id)));
export const mergeFamilies = (
  keep: string,
  drop: string,
  total: MergedTotal | null,
  preview: boolean,
): Promise<Merged> => asStaff(api.POST("/api/admin/users/merge", { body: { keep, drop, total, preview } }));
export const importFamilies = (body: ImportTable): Promise<ImportReport> =>
  asStaff(api.POST("/api/admin/users/import", { body: body as Schemas["FamilyTable"] }));
export const undoImport = (id: string): Promise<UndoneImport> =>
  asStaff(api.POST("/api/admin/users/imports/{id}/undo", at(id)));
/** Reads bytes, because text would lose the byte order mark by which spreadsheets recognize UTF-8. */
export const exportFamilies = () => asStaff<Blob>(api.GET("/api/admin/users/export.csv", { parseAs: "blob" }));

/** The newest cached version of a family. */
export function knownFamily(client: QueryClient, id: string): Family | undefined {
  const rows = client
    .getQueriesData<InfiniteData<FamilyPage>>({ queryKey: ["admin", "users", "list"] })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? []);
  const one = client.getQueryData(familyQuery(id).queryKey);
  return [...rows.filter((row) => row.id === id), ...(one ? [one] : [])].toSorted((a, b) => b.version - a.version)[0];
}

/** Updates a family in every cached list without a request. */
export function writeFamily(client: QueryClient, id: string, change: (family: Family) => Family) {
  client.setQueriesData<InfiniteData<FamilyPage>>(
    { queryKey: ["admin", "users", "list"] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map((row) => (row.id === id ? change(row) : row)),
        })),
      },
  );
  client.setQueryData(familyQuery(id).queryKey, (detail) => detail && { ...detail, ...change(detail) });
}

/** Call after any change to a family. Refetches lists, totals and what needs attention. */
export function useUsersChanged() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["users", "payments", "dashboard", "mail"].map((part) => client.invalidateQueries({ queryKey: ["admin", part] })),
    );
}
