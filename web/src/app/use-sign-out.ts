import { useMutation } from "@tanstack/react-query";
import { useSessionChanged } from "../api/queries";
import { signOut } from "../accounts/queries";
import { deleteDrafts } from "../lib/delete-drafts";
import { errorToast, toast } from "../ui/toast";

let byChoice = false;

/** Whether nobody is signed in because somebody wanted it so; a session that ran out is another matter. */
export const signedOutByChoice = () => byChoice;

/** Somebody is there (again). */
export function stays() {
  byChoice = false;
}

/** Forgets the person. */
export function useSignedOut() {
  const sessionChanged = useSessionChanged();
  return async (said: { title: string; description?: string }) => {
    byChoice = true;
    deleteDrafts();
    await sessionChanged(null);
    toast(said);
  };
}

export function useSignOut(failure: string) {
  const signedOut = useSignedOut();
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => signedOut({ title: "Signed Out" }),
    onError: () => errorToast(failure),
  });
}
