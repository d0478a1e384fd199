import { useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { isApiError, type SessionUser } from "../api/client";
import { useSession, useSessionChanged, useSite, useAction } from "../api/queries";
import { explain, required, text, useForm } from "../lib/forms";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Field, FormMessage, PasswordInput } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { confirmationQuery, resendConfirmation, verifyEmail, type Confirmation, type Verified } from "./queries";

/** Mail scanners follow links, so only a press of the button uses the token. */
export default function Verify() {
  const { user, pending } = useSession();
  const sessionChanged = useSessionChanged();
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  // The server no longer knows an expired link, so its address says what it was for.
  const named = params.get("for") ?? "";
  const asked = useQuery(confirmationQuery(token));
  const [done, setDone] = useState<Verified | null>(null);

  async function confirmed(answer: Verified) {
    if (answer.linked) {
      toast({
        title: "Welcome!",
        description: "Your account has been created and linked to your pre-existing profile.",
      });
    }
    setDone(answer);
    if (answer.user) await sessionChanged(answer.user);
  }

  const kind = asked.data?.kind ?? (isKind(named) ? named : "login");
  return (
    <SmallSheet title={done ? "Your email is confirmed" : titles[kind]}>
      <PageMeta title={titles[kind]} description="Confirm your email address for the camp's portal." />
      {done ? (
        <>
          <p>
            Thank you. <Mail>{done.email}</Mail> is confirmed.
          </p>
          {done.user || user ? (
            <Link to={paths.home} className={buttonLook()}>
              Go to the videos
            </Link>
          ) : (
            <Link to={paths.auth()} className={buttonLook()}>
              Sign In
            </Link>
          )}
        </>
      ) : token === "" ? (
        <FormMessage>This link is not complete. Please open it again from the email.</FormMessage>
      ) : pending || asked.isPending ? (
        // The banner at the top would move the button.
        <Loading label="Loading" className="grid gap-3">
          <Skeleton className="h-5" />
          <Skeleton className="h-11" />
        </Loading>
      ) : isApiError(asked.error, "gone") ? (
        <Ended kind={kind} user={user} />
      ) : asked.data ? (
        <ConfirmForm token={token} asked={asked.data} onDone={confirmed} onStale={() => void asked.refetch()} />
      ) : (
        <ErrorState
          title="The link could not be checked"
          error={asked.error}
          retrying={asked.isFetching}
          onRetry={asked.refetch}
        />
      )}
    </SmallSheet>
  );
}

const titles: Record<Confirmation["kind"], string> = {
  login: "Confirm your email",
  new_email: "Confirm your new email",
  second_email: "Join a family’s emails",
};

const isKind = (name: string): name is Confirmation["kind"] => name in titles;

/** A link that was used or has expired: what it was for, and the way to a new one. */
function Ended({ kind, user }: { kind: Confirmation["kind"]; user: SessionUser | null }) {
  if (kind === "new_email") {
    return (
      <>
        <FormMessage>This link to change your email was used already or has expired.</FormMessage>
        {user ? (
          <p>
            You sign in as <Mail>{user.email}</Mail>. If that is the address you want, there is nothing left to do.
          </p>
        ) : (
          <p>
            If you have pressed the button before, sign in with your new address. Otherwise your account still has the
            old one.
          </p>
        )}
        <p className="text-muted">
          For a new link, ask for the change again on your profile: press “Change” beside your email.
        </p>
        {user ? (
          <Link to={paths.profile} className={buttonLook()}>
            Open my profile
          </Link>
        ) : (
          <Link to={paths.auth(paths.profile)} className={buttonLook()}>
            Sign In
          </Link>
        )}
      </>
    );
  }
  if (kind === "second_email") {
    return (
      <>
        <FormMessage>This link to join a family’s emails was used already or has expired.</FormMessage>
        <p>
          If you have pressed the button before, there is nothing left to do: camp writes to you about that family as
          well.
        </p>
        <p className="text-muted">
          Otherwise ask whoever gave your address, whom the email names, for a new one. Their profile has a button for
          that, “Send it again”.
        </p>
      </>
    );
  }
  if (user?.email_verified) {
    return (
      <>
        <p>
          Your address <Mail>{user.email}</Mail> is confirmed already. There is nothing left to do.
        </p>
        <Link to={paths.home} className={buttonLook()}>
          Go to the videos
        </Link>
      </>
    );
  }
  return (
    <>
      <FormMessage>This link to confirm your email was used already or has expired.</FormMessage>
      {user ? (
        <Resend email={user.email} />
      ) : (
        <>
          <p>Sign in: if your email is not confirmed yet, we can send you a new link there.</p>
          <Link to={paths.auth()} className={buttonLook()}>
            Sign In
          </Link>
        </>
      )}
    </>
  );
}

function Resend({ email }: { email: string }) {
  const resend = useAction({
    mutationFn: resendConfirmation,
    onSuccess: () => toast({ title: "Confirmation sent", description: `We wrote to ${email} again.` }),
    onError: (error) => toast({ title: "Error", description: explain(error), destructive: true }),
  });
  return (
    <>
      <p>
        We can send a new one to <Mail>{email}</Mail>.
      </p>
      <Button busy={resend.isPending} disabled={resend.isSuccess} onClick={() => resend.mutate()}>
        {resend.isSuccess ? "Sent" : "Send a new link"}
      </Button>
    </>
  );
}

const Mail = ({ children }: { children: ReactNode }) => (
  <b className="font-medium wrap-anywhere">
    <bdi>{children}</bdi>
  </b>
);

type FormProps = {
  token: string;
  asked: Confirmation;
  onDone: (answer: Verified) => Promise<void>;
  onStale: () => void;
};

/** One press where one is signed in to the account; otherwise the account's password, or a new one. */
function ConfirmForm({ token, asked, onDone, onStale }: FormProps) {
  const site = useSite();
  const [choosing, setChoosing] = useState(false);
  const needed = asked.needs === "nothing" ? null : choosing ? "new_password" : "current_password";
  const { busy, errors, message, form } = useForm({
    check: required(
      needed
        ? { [needed]: choosing ? "Please choose a new password." : "Please enter the password of this account." }
        : {},
    ),
    submit: (data) => verifyEmail({ token, ...(needed ? { [needed]: text(data, needed) } : {}) }),
    done: onDone,
    failed: (error) => {
      // Used or expired while the page was open: the page then says what to do.
      const ended = isApiError(error, "gone");
      if (!ended && !isApiError(error, "password_required")) return false;
      onStale();
      return !ended;
    },
  });

  return (
    <form {...form} method="post" className="grid gap-4">
      <Explanation asked={asked} />
      {needed && (
        <input type="text" name="username" autoComplete="username" defaultValue={asked.email} hidden readOnly />
      )}
      {needed === "current_password" && (
        <Field key={needed} label="Password of this account" error={errors.current_password}>
          <PasswordInput name="current_password" autoComplete="current-password" maxLength={128} required />
        </Field>
      )}
      {needed === "new_password" && (
        <Field
          key={needed}
          label="New password"
          error={errors.new_password}
          hint={
            site &&
            `At least ${site.password_min_length} characters. Everybody else who is signed in to this account is signed out.`
          }
        >
          <PasswordInput name="new_password" autoComplete="new-password" maxLength={128} required />
        </Field>
      )}
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy}>
        {busy ? "Confirming..." : "Confirm my email"}
      </Button>
      {asked.needs === "password_or_new_password" && (
        <div className="border-t border-line pt-4 text-sm">
          <p className="text-muted">
            {choosing
              ? "Did you make this account, and know its password?"
              : "Somebody else made this account, or you do not know the password?"}
          </p>
          <Button look="quiet" onClick={() => setChoosing(!choosing)} className="-ms-2.5">
            {choosing ? "Enter the password instead" : "Choose a new password"}
          </Button>
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
          {family ? (
            <>
              <b className="font-medium wrap-anywhere">
                <bdi>{family.full_name}</bdi>
              </b>
              , who signs in as <Mail>{family.email}</Mail>,
            </>
          ) : (
            "A family"
          )}{" "}
          wants to add your address <Mail>{email}</Mail> to their family.
        </p>
        {family && !family.email_verified && (
          <p className="rounded-md bg-due-wash px-3.5 py-3">
            They have not confirmed that the address they sign in with is theirs.
          </p>
        )}
        <ul className="grid list-disc gap-1 ps-5 text-muted">
          <li>Camp then writes to you about this family as well.</li>
          <li>An account with your address shows this family, and theirs shows what camp has for you.</li>
        </ul>
        <p>If you are not of this family, close this page. Nothing changes.</p>
      </div>
    );
  }
  if (needs === "nothing")
    return (
      <p className="text-muted">
        Tap to confirm that <Mail>{email}</Mail> is your email.
      </p>
    );
  if (kind === "new_email") {
    return (
      <p className="text-muted">
        Somebody asked to sign in as <Mail>{email}</Mail> from now on. If it was you, enter the password of your
        account. If it was not you, close this page: nothing changes.
      </p>
    );
  }
  return (
    <p className="text-muted">
      Somebody made an account for <Mail>{email}</Mail> in another browser. If it was you, enter the password that you
      chose there.
    </p>
  );
}
