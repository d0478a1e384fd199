import { ConfirmDialog } from "../../ui/dialog";
import { restoreFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { toastFailureOf } from "../shared/error-toast";
import { ignoreNotFound } from "../shared/missing-records";
import { removeLogin, useUsersChanged, type FamilyDetail } from "./queries";
import { nameOf } from "./words";

/** A login whose address is not the family's: somebody used it to join with an invitation link. */
export type Login = { user_id: string; email: string };

/** Removes a login that does not belong to the family, such as that of a stranger who got an invitation link. */
export function RemoveLogin({ family, login, onClose }: { family: FamilyDetail; login: Login; onClose: () => void }) {
  const usersChanged = useUsersChanged();
  return (
    <ConfirmDialog
      title="Remove login"
      name={<bdi>{login.email}</bdi>}
      action="Remove login"
      onClose={onClose}
      failed={(error) => toastFailureOf("Failed to remove the login", error)}
      onConfirm={async () => {
        await ignoreNotFound(removeLogin(family.id, login.user_id));
        toast({ title: "Login Removed", description: `${login.email} sees nothing of this family any more` });
        void usersChanged().then(restoreFocus);
      }}
    >
      <p>
        They are signed out and no longer see the children and payments of <bdi>{nameOf(family)}</bdi>. They keep their
        login, as a visitor without a family.
      </p>
      <p className="mt-2 text-sm">Copied invitation links of the family stop working as well.</p>
    </ConfirmDialog>
  );
}
