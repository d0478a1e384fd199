import { useMutation } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { useSessionChanged } from "../api/queries";
import { signOut } from "../accounts/queries";
import { paths } from "../lib/paths";
import { toast } from "../ui/toast";

/** Forgets the person, here and on the page that was only theirs. */
export function useSignedOut() {
  const sessionChanged = useSessionChanged();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async (said: { title: string; description?: string }) => {
    await sessionChanged(null);
    toast(said);
    // Last, since the page itself may lead to sign-in on seeing nobody.
    if (pathname === paths.profile) void navigate(paths.home, { replace: true });
  };
}

export function useSignOut(failure: string) {
  const signedOut = useSignedOut();
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => signedOut({ title: "Signed Out" }),
    onError: () => toast({ title: "Error", description: failure, destructive: true }),
  });
}
