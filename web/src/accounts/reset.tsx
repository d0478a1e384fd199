import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { useSessionChanged } from "../api/session";
import { required, text, useForm } from "../lib/forms";
import { Link, navigate } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Field, FormMessage, PasswordInput } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { readSession, resetLinkQuery, resetPassword } from "./queries";
import "../ui/more-icons";

/** Mail scanners follow links, so opening the page only checks the token. Saving the password uses it up. */
export default function Reset() {
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  const ofStaff = params.get("for") === "staff";
  const asked = useQuery(resetLinkQuery(token));
  // The link may also be used up or expire while the page is open.
  const [refused, setRefused] = useState<string>();
  const ended = refused === token || isApiError(asked.error, "gone");

  return (
    <SmallSheet title="Choose a new password">
      <PageMeta title="Choose a new password" description="Choose a new password." />
      {token === "" ? (
        <FormMessage>This link is incomplete. Please open it again from the email.</FormMessage>
      ) : asked.isPending ? (
        <Loading label="Loading" className="grid gap-4">
          <Skeleton className="h-16" />
          <Skeleton className="h-11" />
        </Loading>
      ) : ended ? (
        <FormMessage>This link was already used or has expired.</FormMessage>
      ) : asked.data ? (
        <PasswordForm token={token} ofStaff={ofStaff} onEnded={() => setRefused(token)} />
      ) : (
        <ErrorState
          title="We couldn’t check this link"
          error={asked.error}
          retrying={asked.isFetching}
          onRetry={asked.refetch}
        />
      )}
      {ofStaff ? (
        <p className="text-sm text-muted">An owner can send you a new link.</p>
      ) : (
        <Link
          to={paths.forgot}
          className={ended ? buttonLook() : "link inline-flex min-h-tap items-center justify-self-start text-sm"}
        >
          Ask for a new link
        </Link>
      )}
    </SmallSheet>
  );
}

function PasswordForm({ token, ofStaff, onEnded }: { token: string; ofStaff: boolean; onEnded: () => void }) {
  const site = useSite();
  const client = useQueryClient();
  const otherUser = useOtherUser();
  const { busy, errors, message, form } = useForm({
    check: required({ password: "Please enter a new password." }),
    submit: (data) => resetPassword(token, text(data, "password")),
    done: async () => {
      // The server has ended every session of this account, but somebody else may be signed in here.
      const other = ofStaff ? null : await otherUser();
      if (ofStaff) client.removeQueries({ queryKey: ["staff"] });
      toast({
        title: "Password Changed",
        description: other ? `You are still signed in as ${other.email}.` : "Please sign in with your new password.",
      });
      // The sign-in page redirects anybody who is signed in to the home page.
      await navigate(ofStaff ? paths.staffSignIn : paths.auth(), { replace: true });
    },
    failed: (error) => {
      if (!isApiError(error, "gone")) return false;
      onEnded();
      return true;
    },
  });

  return (
    <form {...form} method="post" className="grid gap-4">
      <Field
        label="New password"
        error={errors.password}
        hint={site && `At least ${site.password_min_length} characters.`}
      >
        <PasswordInput name="password" autoComplete="new-password" maxLength={128} required />
      </Field>
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy}>
        {busy ? "Saving..." : "Save new password"}
      </Button>
    </form>
  );
}

/**
 * Checks whether somebody is still signed in after an account got a new password, and signs out here if it was their
 * account.
 */
function useOtherUser() {
  const { user } = useSession();
  const sessionChanged = useSessionChanged();
  return async () => {
    if (!user) return null;
    // Without a response, assumes that nobody is signed in, so that nothing personal stays on the page.
    const session = await readSession().catch(() => null);
    const now = session?.user ?? null;
    if (now?.id !== user.id) await sessionChanged(now);
    return now;
  };
}
