import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Staff } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import { nullIfNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type Account = Schemas["Account"];
type NewAccount = Schemas["NewStaff"];
type AccountPatch = Schemas["StaffChanges"];
export type Role = Staff["role"];

/** The filters of the list, by their value in the URL. */
export const kinds = {
  owners: { label: "Owners", filter: { role: "owner" } },
  staff: { label: "Staff", filter: { role: "staff" } },
  disabled: { label: "Disabled", filter: { disabled: true } },
} as const;
export type Kind = keyof typeof kinds;

export const everyAccount = ["admin", "accounts"] as const;

export const accountsQuery = (kind: Kind | null) =>
  infiniteQueryOptions({
    queryKey: [...everyAccount, kind],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/accounts", {
          params: {
            query: { limit: 50, ...(kind && kinds[kind].filter), ...(pageParam ? { cursor: pageParam } : {}) },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

const at = (id: string) => ({ params: { path: { id } } });

export const readAccount = ({ id }: Account) => nullIfNotFound(asStaff(api.GET("/api/admin/accounts/{id}", at(id))));
export const addAccount = (body: NewAccount) => asStaff(api.POST("/api/admin/accounts", { body }));
export const changeAccount = ({ id, version }: Account, changes: Omit<AccountPatch, "version">) =>
  asStaff(api.PATCH("/api/admin/accounts/{id}", { ...at(id), body: { version, ...changes } }));
export const deleteAccount = (id: string, current_password: string) =>
  asStaff(api.DELETE("/api/admin/accounts/{id}", { ...at(id), body: { current_password } }));
export const sendReset = (id: string, current_password: string) =>
  asStaff(api.POST("/api/admin/accounts/{id}/reset", { ...at(id), body: { current_password } }));
export const clearLimits = (id: string) => asStaff(api.POST("/api/admin/accounts/{id}/clear-limits", at(id)));
export const endTwoFactor = (current_password: string) =>
  asStaff(api.DELETE("/api/admin/two-factor", { body: { current_password } }));

/** Whether the signed-in person's authenticator app is set up, and how many recovery codes are left. */
export const twoFactorQuery = queryOptions({
  queryKey: ["admin", "two-factor"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/two-factor", { signal })),
});

export const renewRecoveryCodes = (body: Schemas["NewRecoveryCodes"]) =>
  asStaff(api.POST("/api/admin/two-factor/recovery-codes", { body }));

/** The sessions of an account. Without an id, the signed-in person's own sessions. */
export const sessionsOf = (id?: string) =>
  queryOptions({
    queryKey: ["admin", "sessions", id ?? "own"],
    queryFn: async ({ signal }) =>
      (
        await asStaff(
          id === undefined
            ? api.GET("/api/admin/sessions", { signal })
            : api.GET("/api/admin/accounts/{id}/sessions", { ...at(id), signal }),
        )
      ).items,
    staleTime: 0,
  });

export const endOwnSession = (id: string) => asStaff(api.DELETE("/api/admin/sessions/{id}", at(id)));
export const endOtherSessions = () => asStaff(api.POST("/api/admin/sessions/end-others"));
export const endAccountSession = (id: string, session: string, current_password: string) =>
  asStaff(
    api.DELETE("/api/admin/accounts/{id}/sessions/{session}", {
      params: { path: { id, session } },
      body: { current_password },
    }),
  );
export const endAccountSessions = (id: string, current_password: string) =>
  asStaff(api.DELETE("/api/admin/accounts/{id}/sessions", { ...at(id), body: { current_password } }));
export const changeOwnPassword = (body: Schemas["StaffPasswordChange"]) =>
  asStaff(api.POST("/api/admin/password", { body }));
