import { useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { isApiError } from "../api/client";
import { useSession, useSessionChanged, useSite } from "../api/queries";
import { explain, required, text, useForm } from "../lib/forms";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Field, FormMessage, PasswordInput } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { confirmationQuery, verifyEmail, type Confirmation, type Verified } from "./queries";

/** Mail scanners follow links, so that only the press of a button spends the token. */
export default function Verify() {
  const { user, pending } = useSession();
  const sessionChanged = useSessionChanged();
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  const asked = useQuery(confirmationQuery(token));
  const [done, setDone] = useState<Verified | null>(null);

  async function confirmed(answer: Verified) {
    if (answer.linked) {
      toast({ title: "Welcome!", description: "Your account has been created and linked to your pre-existing profile." });
    }
    setDone(answer);
    if (answer.user) await sessionChanged(answer.user);
  }

  return (
    <SmallSheet title={done ? "Your email is confirmed" : "Confirm your email"}>
      <PageMeta title="Confirm your email" description="Confirm your email address for the camp's portal." />
      {done ? (
        <>
          <p>Thank you. <Mail>{done.email}</Mail> is yours.</p>
          {done.user || user ? (
            <Link to={paths.home} className={buttonLook()}>Go to the videos</Link>
          ) : (
            <Link to={paths.auth()} className={buttonLook()}>Sign In</Link>
          )}
        </>
      ) : token === "" ? (
        <FormMessage>This link is not complete. Please open it again from the email.</FormMessage>
      ) : pending || asked.isPending ? (
        // The bar at the top would move the button from under the finger.
        <Loading label="Loading" className="grid gap-3"><Skeleton className="h-5" /><Skeleton className="h-11" /></Loading>
      ) : asked.data ? (
        <ConfirmForm token={token} asked={asked.data} onDone={confirmed} onSessionEnded={() => void asked.refetch()} />
      ) : isApiError(asked.error, "gone") ? (
        <>
          {!user?.email_verified && <FormMessage>{explain(asked.error)}</FormMessage>}
          <p className="text-sm text-muted">
            {user?.email_verified ? (
              <>Your address <bdi>{user.email}</bdi> is confirmed already.</>
            ) : user ? (
              "The bar at the top of the page sends a new one."
            ) : (
              <>Please <Link to={paths.auth()} className="link">sign in</Link> and ask for a new one.</>
            )}
          </p>
        </>
      ) : (
        <ErrorState title="The link could not be checked" error={asked.error} retrying={asked.isFetching} onRetry={asked.refetch} />
      )}
    </SmallSheet>
  );
}

const Mail = ({ children }: { children: ReactNode }) => <b className="font-medium wrap-anywhere"><bdi>{children}</bdi></b>;

type FormProps = { token: string; asked: Confirmation; onDone: (answer: Verified) => Promise<void>; onSessionEnded: () => void };

/** One press where one is signed in to the account; otherwise the account's password, or a new one. */
function ConfirmForm({ token, asked, onDone, onSessionEnded }: FormProps) {
  const site = useSite();
  const [choosing, setChoosing] = useState(false);
  const needed = asked.needs === "nothing" ? null : choosing ? "new_password" : "current_password";
  const { busy, errors, message, form } = useForm({
    check: required(needed ? { [needed]: choosing ? "Please choose a new password." : "Please enter the password of this account." } : {}),
    submit: (data) => verifyEmail({ token, ...(needed ? { [needed]: text(data, needed) } : {}) }),
    done: onDone,
    failed: (error) => {
      if (!isApiError(error, "password_required")) return false;
      onSessionEnded();
      return true;
    },
  });

  return (
    <form {...form} method="post" className="grid gap-4">
      <Explanation asked={asked} />
      {needed && <input type="text" name="username" autoComplete="username" defaultValue={asked.email} hidden readOnly />}
      {needed === "current_password" && (
        <Field key={needed} label="Password of this account" error={errors.current_password}>
          <PasswordInput name="current_password" autoComplete="current-password" maxLength={128} required />
        </Field>
      )}
      {needed === "new_password" && (
        <Field key={needed} label="New password" error={errors.new_password} hint={site && `At least ${site.password_min_length} characters. Everybody else who is signed in to this account is signed out.`}>
          <PasswordInput name="new_password" autoComplete="new-password" maxLength={128} required />
        </Field>
      )}
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy}>{busy ? "Confirming..." : "Confirm my email"}</Button>
      {asked.needs === "password_or_new_password" && (
        <div className="border-t border-line pt-4 text-sm">
          <p className="text-muted">{choosing ? "Did you make this account, and know its password?" : "Somebody else made this account, or you do not know the password?"}</p>
          <Button look="quiet" onClick={() => setChoosing(!choosing)} className="-ms-2.5">{choosing ? "Enter the password instead" : "Choose a new password"}</Button>
        </div>
      )}
    </form>
  );
}

function Explanation({ asked: { kind, needs, email, family } }: { asked: Confirmation }) {
  if (kind === "second_email") {
    return (
      <div className="grid gap-3">
        <p>
          {family ? <><b className="font-medium wrap-anywhere"><bdi>{family.full_name}</bdi></b>, who signs in as <Mail>{family.email}</Mail>,</> : "A family"}{" "}
          wants to add your address <Mail>{email}</Mail> to their family.
        </p>
        {family && !family.email_verified && <p className="rounded-md bg-amber-wash px-3.5 py-3">They have not confirmed that the address they sign in with is theirs.</p>}
        <ul className="grid list-disc gap-1 ps-5 text-muted">
          <li>Camp then writes to you about this family as well.</li>
          <li>An account with your address shows this family, and theirs shows what camp has for you.</li>
        </ul>
        <p>If you are not of this family, close this page. Nothing changes.</p>
      </div>
    );
  }
  if (needs === "nothing") return <p className="text-muted">One press, and we know that <Mail>{email}</Mail> is yours.</p>;
  if (kind === "new_email") {
    return (
      <p className="text-muted">
        Somebody asked to sign in as <Mail>{email}</Mail> from now on. If it was you, enter the password of your account. If it was not you, close this page: nothing changes.
      </p>
    );
  }
  return (
    <p className="text-muted">
      Somebody made an account for <Mail>{email}</Mail> in another browser. If it was you, enter the password that you chose there.
    </p>
  );
}
