import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, isApiError, send, type Staff } from "../../api/client";
import { sessionQuery, siteQuery } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { deleteUnsent } from "../../lib/delete-unsent";
import { unsentOfOthers } from "../../lib/unsent";
import { staffPaths } from "../../lib/staff-paths";
import { errorToast, toast } from "../../ui/toast";

/** Keeps the unsent texts of the staff area separate from those of the public pages. */
export const staffArea = "staff ";

/** Where staff land after signing in. */
export const firstPage = staffPaths.dashboard;

/** The page that asked for the sign-in, if it is in the staff area. */
export function staffNext(next: string | null): string {
  if (!next) return firstPage;
  try {
    const url = new URL(next, location.origin);
    const inside =
      url.origin === location.origin && url.pathname.startsWith("/admin/") && url.pathname !== staffPaths.login;
    return inside ? url.pathname + url.search : firstPage;
  } catch {
    return firstPage;
  }
}

export const staffQuery = queryOptions({
  queryKey: ["staff"],
  queryFn: () => send(api.GET("/api/admin/session")),
  staleTime: 60_000,
});

export const useStaff = () => useQuery(staffQuery).data?.staff ?? null;

/**
 * Whether the camp requires an authenticator app and this account has none yet. The server allows such an account
 * nothing else.
 */
export const mustSetUpTwoFactor = (staff: Staff) => staff.two_factor_required && !staff.two_factor;

const signInListeners = new Set<() => void>();

/** Calls the listener when a call of the staff area is refused because nobody is signed in. */
export function onSignInRequired(listener: () => void) {
  signInListeners.add(listener);
  return () => {
    signInListeners.delete(listener);
  };
}

const signOutListeners = new Set<() => void>();

/** Calls the listener when somebody deliberately signs out of the staff area. */
export function onSignOut(listener: () => void) {
  signOutListeners.add(listener);
  return () => {
    signOutListeners.delete(listener);
  };
}

export const requiresSignIn = (error: unknown) => isApiError(error, "staff_required", "second_factor_setup_required");

/** `send` for calls that need a staff session. */
export async function asStaff<T>(call: Parameters<typeof send<T>>[0]): Promise<T> {
  try {
    return await send(call);
  } catch (error) {
    if (isApiError(error) && requiresSignIn(error)) {
      // The sign-in dialog says it. The caller shows nothing, because its message would still be there afterwards.
      error.message = "";
      signInListeners.forEach((listener) => listener());
    }
    throw error;
  }
}

/** Call after signing in or out. Removes everything that the previous person could see. */
export function useStaffChanged() {
  const client = useQueryClient();
  return async (staff: Staff | null) => {
    deleteUnsent(unsentOfOthers(staffArea, staff?.id));
    await client.cancelQueries();
    client.setQueryData(staffQuery.queryKey, { staff });
    const keep = [siteQuery.queryKey[0], sessionQuery.queryKey[0], staffQuery.queryKey[0]].map(String);
    const others = ({ queryKey }: { queryKey: readonly unknown[] }) => !keep.includes(String(queryKey[0]));
    client.removeQueries({ predicate: others, type: "inactive" });
    if (staff) await client.invalidateQueries({ predicate: others, type: "active" });
  };
}

export function useSignOut(onSignedOut: () => void) {
  const staffChanged = useStaffChanged();
  return useAction({
    mutationFn: () => send(api.POST("/api/admin/auth/sign-out")),
    onSuccess: async () => {
      signOutListeners.forEach((listener) => listener());
      onSignedOut();
      await staffChanged(null);
      toast({ title: "Signed Out" });
    },
    onError: () => errorToast("Failed to sign out"),
  });
}

export const roleName = (staff: Pick<Staff, "role">) => (staff.role === "owner" ? "Owner" : "Staff");
