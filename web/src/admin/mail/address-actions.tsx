import { useState } from "react";
import { useAction } from "../../api/use-action";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Button, buttonLook } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { useCurrency } from "../shared/family-summary";
import { restoreFocus } from "../../ui/focus";
import { useStaff } from "../shared/session";
import { EditUser } from "../users/edit-user";
import { readFamily, type FamilyDetail } from "../users/queries";
import { letThrough, useMailChanged } from "./queries";

type Props = { email: string; familyId: string | null | undefined; isStaff?: boolean };

/** The buttons that correct an address without mail, or allow mail to it again. */
export function AddressActions({ email, familyId, isStaff = false }: Props) {
  const me = useStaff();
  const mailChanged = useMailChanged();
  const currency = useCurrency();
  const [editing, setEditing] = useState<FamilyDetail | null>(null);
  const lift = useAction({
    mutationFn: () => letThrough(email),
    onSuccess: () => {
      toast({ title: "Success", description: `We’ll send emails to ${email} again` });
      void mailChanged().then(restoreFocus);
    },
    onError: (error) => toastFailure(error, "Emails could not be allowed for this address."),
  });
  const correct = useAction({
    mutationFn: (id: string) => readFamily(id),
    onSuccess: setEditing,
    onError: (error) => toastFailure(error, "The family could not be opened."),
  });
  return (
    <div className="flex flex-wrap gap-2">
      {familyId && (
        <Button look="line" icon="edit" busy={correct.isPending} onClick={() => correct.mutate(familyId)}>
          Correct<span className="sr-only"> {email}</span>
        </Button>
      )}
      {!familyId && isStaff && me?.role === "owner" && (
        <Link to={staffPaths.accounts} className={buttonLook("line")}>
          <Icon name="edit" />
          Correct<span className="sr-only"> {email}</span>
        </Link>
      )}
      <Button look="line" icon="refresh" busy={lift.isPending} onClick={() => lift.mutate()}>
        Allow emails<span className="sr-only"> to {email}</span>
      </Button>
      {editing && <EditUser family={editing} currency={currency} onClose={() => setEditing(null)} />}
    </div>
  );
}
