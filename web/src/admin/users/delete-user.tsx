import { count } from "../../lib/format";
import { ConfirmDialog } from "../../ui/dialog";
import { restoreFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { toastFailureOf } from "../shared/error-toast";
import { ignoreNotFound } from "../shared/missing-records";
import { deleteFamily, useUsersChanged, type Family } from "./queries";
import { nameOf } from "./words";

export function DeleteUser({
  family,
  onClose,
  onDeleted,
}: {
  family: Family;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const usersChanged = useUsersChanged();
  const name = nameOf(family);
  return (
    <ConfirmDialog
      title="Delete user"
      name={
        <>
          <bdi>{name}</bdi> <span className="block text-sm font-normal text-muted">{family.email ?? "No Email"}</span>
        </>
      }
      action="Delete user"
      onClose={onClose}
      failed={(error) => toastFailureOf("Failed to delete user", error)}
      onConfirm={async () => {
        // If somebody else has already deleted the family, that is not an error.
        await ignoreNotFound(deleteFamily(family.id));
        toast({ title: "User Deleted", description: `${name} has been removed from the system` });
        onDeleted?.();
        void usersChanged().then(restoreFocus);
      }}
    >
      <p>Are you sure you want to delete {name}? This action cannot be undone.</p>
      <p className="mt-2 text-sm">
        {family.logins > 0
          ? `${count(family.logins, "login")} ${family.logins === 1 ? "is" : "are"} deleted and signed out. `
          : ""}
        Their comments stay as “Former member”, and their payments stay in the ledger.
      </p>
    </ConfirmDialog>
  );
}
