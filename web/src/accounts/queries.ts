import { queryOptions } from "@tanstack/react-query";
import type { components, paths } from "../api/schema.gen";
import { api, send } from "../api/client";
import { requireCookies } from "../lib/cookies";

type Body<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { "application/json": infer B } } };
}
  ? B
  : never;

export async function signIn(body: Body<"/api/auth/sign-in">) {
  requireCookies();
  return send(api.POST("/api/auth/sign-in", { body }));
}
export async function signUp(body: Body<"/api/auth/sign-up">) {
  requireCookies();
  return send(api.POST("/api/auth/sign-up", { body }));
}
export const verifyEmail = (body: Body<"/api/auth/verify">) => send(api.POST("/api/auth/verify", { body }));
/** Who is signed in now. */
export const readSession = () => send(api.GET("/api/session"));
export const forgotPassword = (email: string) => send(api.POST("/api/auth/forgot", { body: { email } }));
export const resetPassword = (token: string, password: string) =>
  send(api.POST("/api/auth/reset", { body: { token, password } }));
export const chooseMail = (
  body: paths["/api/unsubscribe/choice"]["put"]["requestBody"]["content"]["application/json"],
) => send(api.PUT("/api/unsubscribe/choice", { body }));
export const unsubscribe = (body: Body<"/api/unsubscribe">) => send(api.POST("/api/unsubscribe", { body }));

export type Confirmation = components["schemas"]["Confirmation"];
export type Verified = components["schemas"]["Verified"];

/** What a link would confirm. Reading this does not use up the token. */
export const confirmationQuery = (token: string) =>
  queryOptions({
    queryKey: ["confirmation", token],
    queryFn: () => send(api.POST("/api/auth/verify/preview", { body: { token } })),
    enabled: token !== "",
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Whether a link can still set a password. Asking does not use it up. */
export const resetLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ["reset-link", token],
    queryFn: () => send(api.POST("/api/auth/reset/preview", { body: { token } })).then(() => true),
    enabled: token !== "",
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Reading an invitation does not use it up. Signing up does. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ["invitation", token],
    queryFn: () => send(api.POST("/api/auth/invitation", { body: { token } })),
    enabled: token !== "",
    staleTime: Infinity,
    // Removes the names from the cache when the page closes.
    gcTime: 0,
  });

export const unsubscribeQuery = (token: string) =>
  queryOptions({
    queryKey: ["unsubscribe", token],
    queryFn: () => send(api.POST("/api/unsubscribe/preview", { body: { token } })),
    enabled: token !== "",
    // Never refetches, because that could undo a choice that is not saved yet.
    staleTime: Infinity,
  });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => send(api.GET("/api/auth/sessions", { signal })),
});

export const signOut = () => send(api.POST("/api/auth/sign-out"));
export const resendConfirmation = () => send(api.POST("/api/auth/verify/resend"));
export const endSession = (id: string) => send(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id } } }));
export const endAllSessions = () => send(api.POST("/api/auth/sessions/end-all"));
export const changeEmail = (body: Body<"/api/auth/email">) => send(api.POST("/api/auth/email", { body }));
export const changePassword = (body: Body<"/api/auth/password">) => send(api.POST("/api/auth/password", { body }));
export const deleteAccount = (current_password: string) =>
  send(api.POST("/api/auth/delete-account", { body: { current_password } }));

/** The URL of a download, which the browser fetches by itself. */
export const downloadAddress = "/api/profile/download";

/** Stores in the account that the popup was shown, so that other devices do not show it. */
export const rememberWelcome = () => send(api.PATCH("/api/profile", { body: { welcome_popup_shown: true } }));
