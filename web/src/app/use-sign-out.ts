import { useSessionChanged } from "../api/session";
import { useAction } from "../api/use-action";
import { signOut } from "../accounts/queries";
import { deleteUnsent } from "../lib/delete-unsent";
import { paths } from "../lib/paths";
import { errorToast, toast } from "../ui/toast";

let byChoice = false;

/** Whether the person signed out on the profile page. An expired session does not count. */
export const signedOutByChoice = () => byChoice;

/** Call when leaving the profile page. */
export function resetSignedOutByChoice() {
  byChoice = false;
}

/** Removes everything that belongs to the person who signed out. */
export function useSignedOut() {
  const sessionChanged = useSessionChanged();
  return async (said: { title: string; description?: string }) => {
    byChoice = location.pathname === paths.profile;
    deleteUnsent();
    await sessionChanged(null);
    toast(said);
  };
}

export function useSignOut(failure: string) {
  const signedOut = useSignedOut();
  return useAction({
    mutationFn: signOut,
    onSuccess: () => signedOut({ title: "Signed Out" }),
    onError: () => errorToast(failure),
  });
}
