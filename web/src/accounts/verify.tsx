import { useMutation } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { isApiError } from "../api/client";
import { useSession, useSessionChanged } from "../api/queries";
import { explain } from "../lib/forms";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { FormMessage } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { verifyEmail } from "./queries";

/** Mail scanners follow links, so that only the press of a button spends the token. */
export default function Verify() {
  const { user, pending } = useSession();
  const done = user?.email_verified === true;
  const sessionChanged = useSessionChanged();
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";

  const verify = useMutation({
    mutationFn: () => verifyEmail(token),
    onSuccess: async (answer) => {
      if (answer.linked) {
        toast({ title: "Welcome!", description: "Your account has been created and linked to your pre-existing profile." });
      }
      if (answer.user) await sessionChanged(answer.user);
    },
  });

  return (
    <SmallSheet title={verify.isSuccess ? "Your email is confirmed" : "Confirm your email"}>
      <PageMeta title="Confirm your email" description="Confirm your email address for the camp's portal." />
      {verify.data ? (
        <>
          <p>Thank you. <b className="font-medium"><bdi>{verify.data.email}</bdi></b> is yours.</p>
          {verify.data.user || user ? (
            <Link to={paths.home} className={buttonLook()}>Go to the videos</Link>
          ) : (
            <Link to={paths.auth()} className={buttonLook()}>Sign In</Link>
          )}
        </>
      ) : token === "" ? (
        <FormMessage>This link is not complete. Please open it again from the email.</FormMessage>
      ) : pending ? (
        // The bar at the top would move the button from under the finger.
        <Loading label="Loading" className="grid gap-3"><Skeleton className="h-5" /><Skeleton className="h-11" /></Loading>
      ) : (
        <>
          <p className="text-muted">One press, and we know that this address is yours.</p>
          <FormMessage>{verify.error && !(done && isApiError(verify.error, "gone")) && explain(verify.error)}</FormMessage>
          {isApiError(verify.error, "gone") ? (
            <p className="text-sm text-muted">
              {done ? <>Your address <bdi>{user.email}</bdi> is confirmed already.</> : user ? "The bar at the top of the page sends a new one." : <>Please <Link to={paths.auth()} className="link">sign in</Link> and ask for a new one.</>}
            </p>
          ) : (
            <Button busy={verify.isPending} onClick={() => verify.mutate()}>{verify.isPending ? "Confirming..." : "Confirm my email"}</Button>
          )}
        </>
      )}
    </SmallSheet>
  );
}
