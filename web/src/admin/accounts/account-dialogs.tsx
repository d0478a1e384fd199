import type { ReactNode } from "react";
import { isApiError } from "../../api/client";
import { ConfirmDialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { ignoreNotFound } from "../shared/missing-records";
import { useStaff } from "../shared/session";
import { OwnTwoFactor } from "./own-two-factor";
import { changeAccount, deleteAccount, sendReset, type Account } from "./queries";
import { SessionsDialog } from "./sessions-dialog";

export type Question = "delete" | "disable" | "reset" | "sessions" | "two-factor";
type Props = { account: Account; own: boolean; onChanged: () => Promise<unknown>; onClose: () => void };

/** What a button of a row opens. */
export function AccountDialog({
  what,
  account,
  onChanged,
  onClose,
}: Omit<Props, "own"> & { what: Question }): ReactNode {
  const me = useStaff();
  const props = { account, own: account.id === me?.id, onChanged, onClose };
  switch (what) {
    case "two-factor":
      return me && <OwnTwoFactor staff={me} onClose={onClose} />;
    case "sessions":
      return <SessionsDialog account={account} onClose={onClose} />;
    case "delete":
      return <DeleteAccount {...props} />;
    case "disable":
      return <DisableAccount {...props} />;
    case "reset":
      return <ResetPassword {...props} />;
  }
}

function DeleteAccount({ account, own, onChanged, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Delete this admin account?"
      name={<bdi>{account.username}</bdi>}
      action="Delete account"
      onClose={onClose}
      onConfirm={() =>
        orToast(async () => {
          await ignoreNotFound(deleteAccount(account.id));
          toast({ title: "Success", description: "Admin account deleted successfully" });
          await onChanged();
        })
      }
    >
      {own ? "This is your own account: you are signed out at once. " : "They are signed out at once. "}What the account
      did stays in the audit log. This cannot be undone.
    </ConfirmDialog>
  );
}

function DisableAccount({ account, own, onChanged, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Disable this admin account?"
      name={<bdi>{account.username}</bdi>}
      action="Disable account"
      onClose={onClose}
      onConfirm={() =>
        orToast(async () => {
          await changeAccount(account, { disabled: true }).catch(async (error: unknown) => {
            if (isApiError(error, "stale")) await onChanged();
            throw error;
          });
          toast({ title: "Success", description: "Admin account updated successfully" });
          await onChanged();
        })
      }
    >
      {own
        ? "This is your own account: you are signed out at once, and another owner has to let you in again."
        : "They are signed out at once and cannot sign in until you enable the account again."}
    </ConfirmDialog>
  );
}

function ResetPassword({ account, onClose }: Props) {
  return (
    <ConfirmDialog
      title="Mail a link for a new password?"
      name={
        <>
          <bdi>{account.username}</bdi> <span className="font-normal text-muted">{account.email}</span>
        </>
      }
      action="Send the link"
      onClose={onClose}
      onConfirm={() =>
        orToast(async () => {
          await sendReset(account.id);
          toast({ title: "Link sent", description: `${account.email} gets a link to choose a new password.` });
        })
      }
    >
      The password of today works until a new one is chosen.
    </ConfirmDialog>
  );
}

/** The dialog shows why the call failed; the toast shows it as well, as on every page. */
async function orToast(work: () => Promise<unknown>) {
  try {
    await work();
  } catch (error) {
    toastFailure(error);
    throw error;
  }
}
