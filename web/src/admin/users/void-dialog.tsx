import { explain, required, text, useForm } from "../../lib/forms";
import { money, shortDate } from "../../lib/format";
import { Button } from "../../ui/button";
import { Field, FormMessage, TextArea } from "../../ui/field";
import { toast } from "../../ui/toast";
import { isTurnedAway } from "../session";
import { takesFocus } from "../takes-focus";
import { FormDialog } from "../unsaved";
import { useUsersChanged, voidPayment, type Payment } from "./queries";
import { kindName, signed } from "./words";

/** Takes a row of the ledger back by a row of its own; nothing is deleted. */
export function VoidDialog({ payment, currency, onClose }: { payment: Payment; currency: string; onClose: () => void }) {
  const usersChanged = useUsersChanged();
  const what = kindName[payment.kind].toLowerCase();
  const { busy, errors, message, form } = useForm({
    check: required({ reason: "Please give a reason." }),
    submit: (data) => voidPayment(payment.id, text(data, "reason").trim()),
    done: ({ plan }) => {
      toast({ title: "Success", description: `${kindName[payment.kind]} of ${money(Math.abs(payment.amount), currency)} voided. Remaining balance: ${money(plan.remaining_amount, currency)}` });
      onClose();
      void usersChanged();
    },
    failed: (error) => {
      if (isTurnedAway(error)) return true;
      toast({ title: "Error", description: `Failed to void ${what}: ${explain(error)}`, destructive: true });
      void usersChanged();
      return false;
    },
  });
  return (
    <FormDialog title={`Void this ${what}?`} name="The reason" onClose={onClose}>
      {(close) => (
        <form {...form} className="grid gap-4">
          <p className="rounded-md bg-sunk px-4 py-3 tabular-nums">
            <span className="font-medium">{signed(payment.amount, currency)}</span> <span className="text-muted">on {shortDate(payment.payment_date)}</span>
            {payment.notes && <span className="block text-sm text-muted"><bdi>{payment.notes}</bdi></span>}
          </p>
          <p className="text-muted">It stays in the ledger, crossed out, and a row of its own takes the amount back.</p>
          <Field label="Reason" error={errors.reason}>
            <TextArea name="reason" dir="auto" rows={2} maxLength={500} ref={takesFocus} required />
          </Field>
          <FormMessage>{message}</FormMessage>
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="line" onClick={close}>Cancel</Button>
            <Button type="submit" look="danger" busy={busy}>{busy ? "Voiding..." : `Void ${what}`}</Button>
          </div>
        </form>
      )}
    </FormDialog>
  );
}
