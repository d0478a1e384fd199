import type { ReactNode } from "react";
import { isApiError } from "../../api/client";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { ignoreNotFound } from "../shared/missing-records";
import { useStaff } from "../shared/session";
import { PasswordDialog } from "./password-dialog";
import { changeAccount, deleteAccount, sendReset, type Account } from "./queries";
import { SessionsDialog } from "./sessions-dialog";

export type Question = "delete" | "disable" | "enable" | "reset" | "sessions";
type Props = {
  account: Account;
  own: boolean;
  lastOwner: boolean;
  onChanged: () => Promise<unknown>;
  onClose: () => void;
};

/** The dialog that a row's button opens. */
export function AccountDialog({
  what,
  account,
  lastOwner,
  onChanged,
  onClose,
}: Omit<Props, "own"> & { what: Question }): ReactNode {
  const me = useStaff();
  const props = { account, own: account.id === me?.id, lastOwner, onChanged, onClose };
  switch (what) {
    case "sessions":
      return <SessionsDialog account={account} onClose={onClose} />;
    case "delete":
      return lastOwner ? <LastOwner {...props} /> : <DeleteAccount {...props} />;
    case "disable":
      return lastOwner ? <LastOwner {...props} disabling /> : <DisableAccount {...props} />;
    case "enable":
      return <EnableAccount {...props} />;
    case "reset":
      return <ResetPassword {...props} />;
  }
}

/** Says at once that the server would refuse this. */
const LastOwner = ({ account, disabling = false, onClose }: Props & { disabling?: boolean }) => (
  <Dialog title={`Cannot ${disabling ? "disable" : "delete"} the last admin account`} onClose={onClose}>
    <p>
      <bdi className="font-medium">{account.username}</bdi> is the only active owner. Make someone else an owner first.
    </p>
    <div className="mt-5 flex justify-end">
      <Button look="line" onClick={onClose}>
        Close
      </Button>
    </div>
  </Dialog>
);

function DeleteAccount({ account, own, onChanged, onClose }: Props) {
  return (
    <PasswordDialog
      title="Delete this admin account?"
      name={<bdi>{account.username}</bdi>}
      action="Delete account"
      onClose={onClose}
      onConfirm={async (password) => {
        await ignoreNotFound(deleteAccount(account.id, password));
        toast({ title: "Success", description: "Admin account deleted successfully" });
        await onChanged();
      }}
    >
      {own ? "This is your own account: you will be signed out right away. " : "They will be signed out right away. "}
      The audit log and the payments they recorded keep their name. This cannot be undone.
    </PasswordDialog>
  );
}

function DisableAccount({ account, own, onChanged, onClose }: Props) {
  return (
    <PasswordDialog
      title="Disable this admin account?"
      name={<bdi>{account.username}</bdi>}
      action="Disable account"
      onClose={onClose}
      onConfirm={(password) => setDisabled(account, true, password, onChanged)}
    >
      {own
        ? "This is your own account: you will be signed out right away, and another owner has to let you back in."
        : "They will be signed out right away and can’t sign in until you enable the account again."}
    </PasswordDialog>
  );
}

function EnableAccount({ account, onChanged, onClose }: Props) {
  return (
    <PasswordDialog
      title="Enable this admin account?"
      name={<bdi>{account.username}</bdi>}
      action="Enable account"
      look="main"
      onClose={onClose}
      onConfirm={(password) => setDisabled(account, false, password, onChanged)}
    >
      They can sign in again with their old password.
    </PasswordDialog>
  );
}

async function setDisabled(account: Account, disabled: boolean, password: string, onChanged: Props["onChanged"]) {
  try {
    await changeAccount(account, { disabled, current_password: password });
  } catch (error) {
    if (isApiError(error, "stale")) await onChanged();
    throw error;
  }
  toast({ title: "Success", description: "Admin account updated successfully" });
  await onChanged();
}

function ResetPassword({ account, onClose }: Props) {
  return (
    <PasswordDialog
      title="Email a link to choose a new password?"
      name={
        <>
          <bdi>{account.username}</bdi> <span className="font-normal text-muted">{account.email}</span>
        </>
      }
      action="Send the link"
      look="main"
      onClose={onClose}
      onConfirm={async (password) => {
        await sendReset(account.id, password);
        toast({ title: "Link sent", description: `${account.email} gets a link to choose a new password.` });
      }}
    >
      Their old password works until they choose a new one.
    </PasswordDialog>
  );
}
