import { useState } from "react";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { type Errors } from "../../lib/forms";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Checkbox, Field, FormMessage, Select, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailureOf } from "../shared/error-toast";
import { newIdempotencyKey } from "../shared/idempotency-key";
import { focusOnMount } from "../../ui/focus";
import { FormButtons } from "../shared/form-buttons";
import { useCloseQuestion, useStaffForm } from "../shared/form";
import { MoneyInput } from "../shared/money-input";
import { MailNotice, NoteFields } from "./note-fields";
import { recordPayment, useUsersChanged, type Family } from "./queries";
import { amountOf, balanceAfter, problemsOf, recordTitle, type RecordValues, type Kind } from "./record-values";
import { nameOf, recorded } from "./words";

type Props = { family: Family; kind: Kind; currency: string; onClose: () => void };
type Plan = NonNullable<Family["plan"]>;

/**
 * Records one ledger entry. Its key stays the same while the dialog is open, so that a double click or a retry counts
 * once.
 */
export function RecordDialog(props: Props) {
  const { family, kind, onClose } = props;
  if (family.plan) return <RecordForm {...props} plan={family.plan} />;
  return <NoPlan family={family} title={recordTitle[kind]} onClose={onClose} />;
}

function NoPlan({ family, title, onClose }: { family: Family; title: string; onClose: () => void }) {
  const { close } = useCloseQuestion({ name: null, onClose }, () => false);
  return (
    <Dialog title={title} onClose={close}>
      <FamilyLine family={family} />
      <FormMessage>Payment plan not found</FormMessage>
      <p className="mt-3 text-muted">Set up a plan for this family first, in its edit form.</p>
      <div className="mt-5 flex justify-end">
        <Button look="line" onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

const FamilyLine = ({ family }: { family: Family }) => (
  <p className="mb-4 text-muted">
    <bdi className="font-medium text-ink">{nameOf(family)}</bdi>
    {family.child_name && (
      <>
        , <bdi>{family.child_name}</bdi>
      </>
    )}
  </p>
);

const saying: Record<Kind, { doing: string; label: string; hint: string; note: string; mail: string | null }> = {
  payment: {
    doing: "Record payment",
    label: "Payment Amount",
    hint: "",
    note: "Shown in the receipt email and in their payment history.",
    mail: "The family gets a receipt by email.",
  },
  refund: {
    doing: "Record refund",
    label: "Refund Amount",
    hint: "The amount you gave back to the family.",
    note: "Shown in the email and in their payment history.",
    mail: "The family gets a corrected receipt by email, with the refund and the new balance.",
  },
  adjustment: {
    doing: "Record adjustment",
    label: "Adjustment Amount",
    hint: "",
    note: "In their payment history.",
    mail: null,
  },
};

type FormProps = Props & { plan: Plan };

/** What is typed, and how it is recorded. */
function useRecordForm({ family, kind, currency, onClose }: FormProps) {
  const today = useSite()?.today ?? "";
  const usersChanged = useUsersChanged();
  const [key] = useState(newIdempotencyKey);
  const [values, setValues] = useState<RecordValues>({
    kind,
    amount: "",
    direction: "more",
    payment_date: today,
    notes: "",
    staff_notes: "",
    as_credit: false,
  });
  const amount = amountOf(values);
  const state = useStaffForm({
    leave: { name: <bdi>{nameOf(family)}</bdi>, onClose },
    check: () => problemsOf(values, today || values.payment_date, currency),
    submit: () =>
      recordPayment(family.id, key, {
        kind,
        amount: amount ?? 0,
        payment_date: values.payment_date,
        notes: values.notes.trim() || null,
        staff_notes: values.staff_notes.trim() || null,
        ...(kind === "payment" ? { as_credit: values.as_credit } : {}),
      }),
    done: ({ payment, plan: fresh }) => {
      toast({
        title: "Success",
        description: recorded(kind, Math.abs(payment.amount), fresh.remaining_amount, currency),
      });
      onClose();
      void usersChanged();
    },
    failed: (error) => {
      toastFailureOf(`Failed to record ${kind}`, error);
      // The first request may have succeeded, or the plan may have changed, so this refetches the data behind the
      // dialog.
      if (isApiError(error, "conflict", "not_found", "network")) void usersChanged();
    },
  });
  return {
    ...state,
    values,
    amount,
    set: (change: Partial<RecordValues>) => setValues((now) => ({ ...now, ...change })),
  };
}

function RecordForm(props: FormProps) {
  const { family, plan, kind, currency } = props;
  const { busy, errors, message, form, close, question, values, amount, set } = useRecordForm(props);

  return (
    <Dialog title={recordTitle[kind]} onClose={close}>
      <FamilyLine family={family} />
      <form {...form} className="grid gap-4">
        {kind === "adjustment" && <DirectionField values={values} set={set} />}
        <AmountAndDate kind={kind} values={values} set={set} errors={errors} />
        <NoteFields
          legend="Notes"
          optional={kind !== "adjustment"}
          familyHint={saying[kind].note}
          family={{ name: "notes", value: values.notes, onChange: (event) => set({ notes: event.target.value }) }}
          staff={{
            name: "staff_notes",
            value: values.staff_notes,
            onChange: (event) => set({ staff_notes: event.target.value }),
          }}
          errors={errors}
        />
        {kind === "payment" && (
          <Checkbox
            name="as_credit"
            label="Record as credit"
            hint={"Allow overpayment; the rest becomes credit."}
            checked={values.as_credit}
            onChange={(event) => set({ as_credit: event.target.checked })}
          />
        )}
        <Balance plan={plan} values={values} currency={currency} />
        <MailNotice family={family}>{saying[kind].mail}</MailNotice>
        <FormMessage>{message}</FormMessage>
        <FormButtons onCancel={close} busy={busy} doing="Recording...">
          {`${saying[kind].doing}${amount === null ? "" : ` of ${money(Math.abs(amount), currency)}`}`}
        </FormButtons>
      </form>
      {question}
    </Dialog>
  );
}

type FieldProps = { values: RecordValues; set: (change: Partial<RecordValues>) => void };

const DirectionField = ({ values, set }: FieldProps) => (
  <Field label="What it does">
    <Select
      name="direction"
      value={values.direction}
      onChange={(event) => set({ direction: event.target.value as RecordValues["direction"] })}
    >
      <option value="more">Adds to what was paid</option>
      <option value="less">Takes away from what was paid</option>
    </Select>
  </Field>
);

function AmountAndDate({ kind, values, set, errors }: FieldProps & { kind: Kind; errors: Errors }) {
  const today = useSite()?.today ?? "";
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label={saying[kind].label} error={errors.amount} hint={saying[kind].hint || undefined}>
        <MoneyInput
          name="amount"
          ref={focusOnMount}
          value={values.amount}
          onChange={(typed) => set({ amount: typed })}
          required
        />
      </Field>
      <Field label={kind === "payment" ? "Payment Date" : "Date"} error={errors.payment_date}>
        <TextInput
          name="payment_date"
          type="date"
          max={today}
          value={values.payment_date}
          onChange={(event) => set({ payment_date: event.target.value })}
          required
        />
      </Field>
    </div>
  );
}

/** The balance before and after. */
function Balance({ plan, values, currency }: { plan: Plan; values: RecordValues; currency: string }) {
  const amount = amountOf(values);
  const after = balanceAfter(plan, values);
  const over = values.kind === "payment" && amount !== null && amount > plan.remaining_amount;
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 rounded-md bg-sunk px-4 py-3 text-sm tabular-nums">
      <dt className="text-muted">Remaining balance now</dt>
      <dd className="text-end">{money(plan.remaining_amount, currency)}</dd>
      <dt className="text-muted">Remaining balance after</dt>
      <dd className="text-end font-medium">{after === null ? "–" : money(after, currency)}</dd>
      {over && (
        <>
          <dt className="text-muted">Credit after</dt>
          <dd className="text-end font-medium">{money(amount - plan.remaining_amount + plan.credit, currency)}</dd>
        </>
      )}
    </dl>
  );
}
