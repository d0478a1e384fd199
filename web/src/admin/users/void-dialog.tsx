import { useState } from "react";
import { text } from "../../lib/forms";
import { shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailureOf } from "../shared/error-toast";
import { newIdempotencyKey } from "../shared/idempotency-key";
import { focusOnMount } from "../../ui/focus";
import { useStaffForm } from "../shared/form";
import { MailNotice, NoteFields } from "./note-fields";
import { useUsersChanged, voidPayment, type Family, type Payment } from "./queries";
import { kindName, signed } from "./words";

/** Voids a ledger entry with a reversing entry. Nothing is deleted. */
export function VoidDialog({
  payment,
  family,
  currency,
  onClose,
}: {
  payment: Payment;
  family: Family;
  currency: string;
  onClose: () => void;
}) {
  const usersChanged = useUsersChanged();
  const [key] = useState(newIdempotencyKey);
  const what = kindName[payment.kind].toLowerCase();
  const { busy, errors, message, form, close, question } = useStaffForm({
    leave: { name: "The reason", onClose },
    check: (data): Record<string, string> =>
      text(data, "reason").trim() || text(data, "staff_notes").trim() ? {} : { reason: "Please give a reason." },
    submit: (data) =>
      voidPayment(payment.id, key, {
        reason: text(data, "reason").trim() || null,
        staff_notes: text(data, "staff_notes").trim() || null,
      }),
    done: ({ plan }) => {
      toast({
        title: "Success",
        description: `${kindName[payment.kind]} of ${money(Math.abs(payment.amount), currency)} voided. Remaining balance: ${money(plan.remaining_amount, currency)}`,
      });
      onClose();
      void usersChanged();
    },
    failed: (error) => {
      toastFailureOf(`Failed to void ${what}`, error);
      void usersChanged();
    },
  });
  return (
    <Dialog title={`Void this ${what}?`} onClose={close}>
      <form {...form} className="grid gap-4">
        <p className="rounded-md bg-sunk px-4 py-3 tabular-nums">
          <span className="font-medium">{signed(payment.amount, currency)}</span>{" "}
          <span className="text-muted">on {shortDate(payment.payment_date)}</span>
          {payment.notes && (
            <span className="block text-sm text-muted">
              <bdi>{payment.notes}</bdi>
            </span>
          )}
          {payment.staff_notes && (
            <span className="block text-sm text-muted">
              Only staff: <bdi>{payment.staff_notes}</bdi>
            </span>
          )}
        </p>
        <p className="text-muted">It stays in the ledger, crossed out, with its own row that takes the amount back.</p>
        <NoteFields
          legend="Reason"
          familyHint="Shown in the email and in their payment history."
          family={{ name: "reason", ref: focusOnMount }}
          staff={{ name: "staff_notes" }}
          errors={errors}
        />
        <MailNotice
          family={family}
        >{`The family gets a corrected receipt by email, with the voided ${what} and the new balance.`}</MailNotice>
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={busy}>
            {busy ? "Voiding..." : `Void ${what}`}
          </Button>
        </div>
      </form>
      {question}
    </Dialog>
  );
}
