import { useState, type ReactNode } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { LoginSession } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { useAction } from "../api/use-action";
import { explain, required, text, useForm } from "../lib/forms";
import { Button, buttonLook } from "../ui/button";
import { ConfirmDialog, Dialog } from "../ui/dialog";
import { EmailInput, Field, FormMessage, PasswordInput } from "../ui/field";
import { restoreFocusTo } from "../ui/focus";
import { Section } from "../ui/section";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { errorToast, toast } from "../ui/toast";
import {
  changeEmail,
  changePassword,
  deleteAccount,
  downloadAddress,
  endAllSessions,
  endSession,
  sessionsQuery,
} from "./queries";
import { SessionLine } from "./session-line";

type Leaving = { onSignedOut: (said: { title: string; description?: string }) => Promise<void> };

/** The sessions of the signed-in person. */
export function Sessions({ onSignedOut }: Leaving) {
  const sessions = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  return (
    <Section
      id="sessions"
      title="Where you are signed in"
      beside={
        <Button look="quiet" onClick={() => setAsking(true)} className="-mx-2.5 -my-2.5">
          Sign Out Everywhere
        </Button>
      }
    >
      {sessions.data ? (
        <ul>
          {sessions.data.items.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      ) : sessions.isError ? (
        <ErrorState
          title="Your devices could not be loaded"
          error={sessions.error}
          retrying={sessions.isFetching}
          onRetry={sessions.refetch}
        />
      ) : (
        <Loading label="Loading your devices" className="grid gap-3">
          <Skeleton className="h-12" />
          <Skeleton className="h-12" />
        </Loading>
      )}
      {asking && (
        <ConfirmDialog
          title="Sign out everywhere?"
          name={
            sessions.data && sessions.data.items.length > 1
              ? `All ${sessions.data.items.length} devices, this one too`
              : "This device"
          }
          action="Sign Out Everywhere"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await endAllSessions();
            await onSignedOut({ title: "Signed Out", description: "You are signed out on every device." });
          }}
        >
          You can sign in again with your password.
        </ConfirmDialog>
      )}
    </Section>
  );
}

function SessionRow({ session }: { session: LoginSession }) {
  const client = useQueryClient();
  const end = useAction({
    mutationFn: () => endSession(session.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      restoreFocusTo(document.getElementById("sessions"));
    },
    onError: (error) => errorToast(explain(error)),
  });
  return <SessionLine session={session} busy={end.isPending} onEnd={() => end.mutate()} />;
}

/** The password, the data download and the deletion of the account. */
export function AccountSection({ onSignedOut }: Leaving) {
  const [open, setOpen] = useState<"password" | "delete" | null>(null);
  const close = () => setOpen(null);
  return (
    <Section id="account" title="Your account">
      <ul className="grid gap-px">
        <Row title="Password" text="Changing it signs you out on all other devices.">
          <Button look="line" onClick={() => setOpen("password")}>
            Change password
          </Button>
        </Row>
        <Row title="Your data" text="Everything we have about you, in one file.">
          <a href={downloadAddress} download="my-data.json" className={buttonLook("line")}>
            Download my data
          </a>
        </Row>
        <Row title="Delete your account" text="Deletes your login. The camp keeps the family record.">
          <Button look="line" onClick={() => setOpen("delete")} className="border-clay! text-clay!">
            Delete my account
          </Button>
        </Row>
      </ul>
      {open === "password" && <PasswordDialog onClose={close} />}
      {open === "delete" && <DeleteDialog onClose={close} onSignedOut={onSignedOut} />}
    </Section>
  );
}

const Row = ({ title, text: words, children }: { title: string; text: string; children: ReactNode }) => (
  <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-line py-3 not-first:border-t">
    <span className="min-w-0 flex-1 basis-60">
      <span className="block font-medium">{title}</span>
      <span className="block text-sm text-muted">{words}</span>
    </span>
    {children}
  </li>
);

export function EmailDialog({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const change = useForm({
    check: required({
      new_email: "Please enter your new email.",
      current_password: "Please enter your password.",
    }),
    submit: async (data) => {
      const new_email = text(data, "new_email").trim();
      await changeEmail({ new_email, current_password: text(data, "current_password") });
      return new_email;
    },
    done: (email) => {
      onClose();
      toast({
        title: "One more step",
        description: `We emailed ${email}. Your email changes once you confirm it there.`,
      });
    },
  });
  return (
    <Dialog title="Change your email" onClose={onClose}>
      <form {...change.form} className="grid gap-4">
        <p className="text-muted">
          You sign in with <bdi className="font-medium wrap-anywhere text-ink">{user?.email}</bdi> until you confirm the
          new email.
        </p>
        <Field label="New email" error={change.errors.new_email}>
          <EmailInput name="new_email" required />
        </Field>
        <Field label="Your password" error={change.errors.current_password}>
          <PasswordInput name="current_password" autoComplete="current-password" maxLength={128} required />
        </Field>
        <FormMessage>{change.message}</FormMessage>
        <Buttons onClose={onClose}>
          <Button type="submit" busy={change.busy}>
            {change.busy ? "Sending..." : "Send the confirmation"}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const site = useSite();
  const client = useQueryClient();
  const change = useForm({
    check: required({ current_password: "Please enter your password.", new_password: "Please enter a new password." }),
    submit: (data) =>
      changePassword({ current_password: text(data, "current_password"), new_password: text(data, "new_password") }),
    done: async () => {
      onClose();
      toast({ title: "Password changed", description: "All other devices are signed out." });
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <Dialog title="Change password" onClose={onClose}>
      <form {...change.form} className="grid gap-4">
        <Field label="Current password" error={change.errors.current_password}>
          <PasswordInput name="current_password" autoComplete="current-password" maxLength={128} required />
        </Field>
        <Field
          label="New password"
          error={change.errors.new_password}
          hint={site && `At least ${site.password_min_length} characters.`}
        >
          <PasswordInput name="new_password" autoComplete="new-password" maxLength={128} required />
        </Field>
        <FormMessage>{change.message}</FormMessage>
        <Buttons onClose={onClose}>
          <Button type="submit" busy={change.busy}>
            {change.busy ? "Saving..." : "Change password"}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ onClose, onSignedOut }: { onClose: () => void } & Leaving) {
  const { user } = useSession();
  const remove = useForm({
    check: required({ current_password: "Please enter your password." }),
    submit: (data) => deleteAccount(text(data, "current_password")),
    done: () =>
      onSignedOut({
        title: "Account deleted",
        description: "Your login is deleted. The camp keeps the family record.",
      }),
  });
  return (
    <Dialog title="Delete my account" onClose={onClose}>
      <form {...remove.form} className="grid gap-4">
        <p className="rounded-md bg-sunk px-4 py-3 font-medium wrap-anywhere">
          <bdi>{user?.email}</bdi>
        </p>
        <ul className="grid list-disc gap-1 ps-5 text-muted">
          <li>Your login, your favorites and your sessions are deleted. This cannot be undone.</li>
          <li>Your comments stay, under the name “Former member”.</li>
          <li>
            The camp keeps the family record with its payment plan and payments. Ask the office to delete that too.
          </li>
        </ul>
        <Field label="Your password" error={remove.errors.current_password}>
          <PasswordInput name="current_password" autoComplete="current-password" maxLength={128} required />
        </Field>
        <FormMessage>{remove.message}</FormMessage>
        <Buttons onClose={onClose}>
          <Button type="submit" look="danger" busy={remove.busy}>
            {remove.busy ? "Deleting..." : "Delete my account"}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}

const Buttons = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-3">
    <Button look="line" onClick={onClose}>
      Cancel
    </Button>
    {children}
  </div>
);
