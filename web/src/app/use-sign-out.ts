import { useSessionChanged } from "../api/session";
import { useAction } from "../api/use-action";
import { signOut } from "../accounts/queries";
import { deleteUnsent } from "../lib/delete-unsent";
import { errorToast, toast } from "../ui/toast";

let byChoice = false;

/** Whether the person signed out; an expired session does not count. */
export const signedOutByChoice = () => byChoice;

/** Call when somebody is signed in again. */
export function resetSignedOutByChoice() {
  byChoice = false;
}

/** Removes everything of the person who signed out. */
export function useSignedOut() {
  const sessionChanged = useSessionChanged();
  return async (said: { title: string; description?: string }) => {
    byChoice = true;
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
