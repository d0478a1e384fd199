import { useSessionChanged } from "../api/session";
import { useAction } from "../api/use-action";
import { signOut } from "../accounts/queries";
import { deleteUnsent } from "../lib/delete-unsent";
import { paths } from "../lib/paths";
import { errorToast, toast } from "../ui/toast";

let byChoice = false;

/** Whether the person signed out on the profile page; an expired session does not count. */
export const signedOutByChoice = () => byChoice;

/** Call when the profile page is left. */
export function resetSignedOutByChoice() {
  byChoice = false;
}

/** Removes everything of the person who signed out. */
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
