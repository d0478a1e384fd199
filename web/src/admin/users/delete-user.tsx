import { isApiError } from "../../api/client";
import { explain } from "../../lib/forms";
import { count } from "../../lib/format";
import { ConfirmDialog } from "../../ui/dialog";
import { errorToast, toast } from "../../ui/toast";
import { deleteFamily, useUsersChanged, type Family } from "./queries";
import { nameOf } from "./words";

/** The focused row is removed with its family. */
function restoreFocus() {
  if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
}

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
      onConfirm={async () => {
        try {
          await deleteFamily(family.id);
        } catch (error) {
          // Somebody else has deleted it already, which is no error.
          if (!isApiError(error, "not_found")) {
            errorToast(`Failed to delete user: ${explain(error)}`);
            throw error;
          }
        }
        toast({ title: "User Deleted", description: `${name} has been removed from the system` });
        onDeleted?.();
        void usersChanged().then(() => setTimeout(restoreFocus, 100));
      }}
    >
      <p>Are you sure you want to delete {name}? This action cannot be undone.</p>
      <p className="mt-2 text-sm">
        {family.logins > 0
          ? `${count(family.logins, "login")} ${family.logins === 1 ? "is" : "are"} deleted and signed out. `
          : ""}
        Comments stay as those of a former member, and recorded payments stay in the ledger.
      </p>
    </ConfirmDialog>
  );
}
