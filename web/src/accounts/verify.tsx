import { useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { isApiError, type SessionUser } from "../api/client";
import { tellOtherTabs } from "../api/other-tabs";
import { useSession, useSite } from "../api/queries";
import { useSessionChanged } from "../api/session";
import { required, text, useForm } from "../lib/forms";
import { Link } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { Field, FormMessage, PasswordInput } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { toast } from "../ui/toast";
import { confirmationQuery, verifyEmail, type Confirmation, type Verified } from "./queries";
import { useResend } from "./use-resend";
import "../ui/more-icons";

/** Mail scanners follow links, so only pressing the button uses up the token. */
export default function Verify() {
  const { user, pending } = useSession();
  const sessionChanged = useSessionChanged();
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  // The server no longer knows an expired link, so the link's own URL says what it was for.
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
    else tellOtherTabs(false);
  }

  const kind = asked.data?.kind ?? (isKind(named) ? named : "login");
  return (
    <SmallSheet title={done ? "Your email is confirmed" : titles[kind]}>
      <PageMeta title={titles[kind]} description="Confirm your email." />
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
        <FormMessage>This link is incomplete. Please open it again from the email.</FormMessage>
      ) : pending || asked.isPending ? (
        // Waits for the session, because the banner at the top would move the button.
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
          title="We couldn’t check this link"
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

/** A link that was used or has expired: what it was for, and how to get a new one. */
function Ended({ kind, user }: { kind: Confirmation["kind"]; user: SessionUser | null }) {
  if (kind === "new_email") {
    return (
      <>
        <FormMessage>This link to change your email was already used or has expired.</FormMessage>
        {user ? (
          <p>
            You sign in as <Mail>{user.email}</Mail>. If that is the email you want, you are all set.
          </p>
        ) : (
          <p>If you already confirmed, sign in with your new email. Otherwise your account still has the old one.</p>
        )}
        <p className="text-muted">For a new link, open your profile and press “Change” next to your email.</p>
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
        <FormMessage>This link to join a family’s emails was already used or has expired.</FormMessage>
        <p>If you already confirmed, you are all set: you get that family’s emails too.</p>
        <p className="text-muted">
          If not, ask the person named in the email to send you a new link. Their profile has a “Send it again” button.
        </p>
      </>
    );
  }
  if (user?.email_verified) {
    return (
      <>
        <p>
          Your address <Mail>{user.email}</Mail> is already confirmed. You are all set.
        </p>
        <Link to={paths.home} className={buttonLook()}>
          Go to the videos
        </Link>
      </>
    );
  }
  return (
    <>
      <FormMessage>This link to confirm your email was already used or has expired.</FormMessage>
      {user ? (
        <Resend email={user.email} />
      ) : (
        <>
          <p>Sign in. If your email is not confirmed yet, you can get a new link there.</p>
          <Link to={paths.auth()} className={buttonLook()}>
            Sign In
          </Link>
        </>
      )}
    </>
  );
}

function Resend({ email }: { email: string }) {
  const resend = useResend(email);
  return (
    <>
      <p>
        We can send a new link to <Mail>{email}</Mail>.
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

/** Takes one press if the account is signed in here. Otherwise it asks for the account's password or a new one. */
function ConfirmForm({ token, asked, onDone, onStale }: FormProps) {
  const site = useSite();
  const [choosing, setChoosing] = useState(false);
  const needed = asked.needs === "nothing" ? null : choosing ? "new_password" : "current_password";
  const { busy, errors, message, form } = useForm({
    check: required(
      needed ? { [needed]: choosing ? "Please choose a new password." : "Please enter this account's password." } : {},
    ),
    submit: (data) => verifyEmail({ token, ...(needed ? { [needed]: text(data, needed) } : {}) }),
    done: onDone,
    failed: (error) => {
      // If the link was used or expired while the page was open, the page says what to do.
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
        <Field key={needed} label="Password for this account" error={errors.current_password}>
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
            `At least ${site.password_min_length} characters. This signs out everyone else who is signed in to this account.`
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
              ? "Did you create this account, and know its password?"
              : "Did someone else create this account, or don’t you know the password?"}
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
          <p className="rounded-md bg-due-wash px-3.5 py-3">They have not confirmed their own email yet.</p>
        )}
        <ul className="grid list-disc gap-1 ps-5 text-muted">
          <li>If you confirm, you will get this family’s emails too.</li>
          <li>Your account will show this family, and theirs will show what camp has for you.</li>
        </ul>
        <p>If this is not your family, close this page. Nothing changes.</p>
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
        Someone asked to sign in as <Mail>{email}</Mail> from now on. If that was you, enter your password. If not,
        close this page and nothing changes.
      </p>
    );
  }
  return (
    <p className="text-muted">
      Someone created an account for <Mail>{email}</Mail> in another browser. If that was you, enter the password you
      chose there.
    </p>
  );
}
