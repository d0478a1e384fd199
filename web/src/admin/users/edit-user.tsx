import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { type Errors } from "../../lib/forms";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { Checkbox, EmailInput, Field, FormMessage, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { focusOnMount } from "../../ui/focus";
import { toastFailureOf } from "../shared/error-toast";
import { nullIfNotFound } from "../shared/missing-records";
import { FormButtons } from "../shared/form-buttons";
import { StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { adjustment, changesOf, merged, valuesOf, problemsOf, type EditValues } from "./edit-values";
import { summaryQuery } from "../shared/family-summary";
import { MoneyInput } from "../shared/money-input";
import { NoteFields } from "./note-fields";
import { isStopped, type Preference } from "./preferences";
import { editFamily, readFamily, useUsersChanged, writeFamily, type Family } from "./queries";
import { nameOf, signed } from "./words";

/** The paid amount in cents: when the form opened, and after somebody else changed it. */
type PaidMeanwhile = { before: number; now: number };

const ofThePlan = (field: string) => /amount|due_date|adjustment/.test(field);

type Props = { family: Family; withPlan?: boolean; currency: string; onClose: () => void };

/** What is typed, and how it is saved. */
function useEditUser({ family: opened, withPlan = false, currency, onClose }: Props) {
  const client = useQueryClient();
  const usersChanged = useUsersChanged();
  const summary = useQuery(summaryQuery);
  const [usual] = useState(summary.data?.default_plan_amount ?? null);
  const [paidMeanwhile, setPaidMeanwhile] = useState<PaidMeanwhile | null>(null);
  const edited = useFormValues({
    opened,
    valuesOf: (one) => valuesOf(one, usual),
    merge: merged,
    ...(withPlan ? { begun: { planned: true } } : {}),
    read: async ({ id, plan }) => {
      const fresh = await nullIfNotFound(readFamily(id));
      const [before, now] = [plan?.paid_amount ?? 0, fresh?.plan?.paid_amount ?? 0];
      if (fresh && before !== now) setPaidMeanwhile({ before, now });
      void usersChanged();
      return fresh;
    },
  });
  const { row: family, values } = edited;
  const onlyThePlan = Object.keys(changesOf(values, family)).every(ofThePlan);

  const state = useStaffForm({
    values: edited,
    leave: { name: <bdi>{nameOf(opened)}</bdi>, about: "changes", onClose },
    check: () => problemsOf(values, family, currency),
    submit: () => editFamily(family.id, { version: family.version, ...changesOf(values, family) }),
    done: (fresh) => {
      writeFamily(client, fresh.id, (now) => ({ ...now, ...fresh }));
      const invitedAgain = family.logins === 0 && family.invited && fresh.email && fresh.email !== family.email;
      toast(
        invitedAgain
          ? {
              title: "User Updated",
              description: `A new invitation is on its way to ${fresh.email}.`,
            }
          : withPlan && onlyThePlan
            ? { title: "Success", description: "Payment plan updated successfully" }
            : { title: "User Updated", description: "User profile and payment information updated successfully" },
      );
      onClose();
      void usersChanged();
    },
    failed: (error) => {
      const plan = isApiError(error) && Object.keys(error.fields).some(ofThePlan);
      toastFailureOf(`Failed to update ${plan ? "payment plan" : "user"}`, error);
    },
  });
  return { ...state, ...edited, paidMeanwhile };
}

/**
 * A family with its plan and the emails it gets. The paid amount is never overwritten, because a change is recorded as
 * an adjustment.
 */
export function EditUser(props: Props) {
  const { family: opened, currency } = props;
  const { row: family, values, set, stale, reload, paidMeanwhile, ...state } = useEditUser(props);
  const { busy, errors, message, form, close, question } = state;
  const typed: Typed = (key) => ({
    name: key,
    value: String(values[key]),
    onChange: (event) => set({ [key]: event.target.value }),
  });

  return (
    <Drawer
      title={
        <>
          Edit <bdi>{nameOf(opened)}</bdi>
        </>
      }
      onClose={close}
    >
      <form {...form} className="grid gap-6">
        <StaleFormNotice what="user" stale={stale} onReload={reload} />
        <ProfileFields family={family} typed={typed} errors={errors} />

        <PlanFields
          values={values}
          set={set}
          typed={typed}
          difference={adjustment(values, family)}
          paidMeanwhile={paidMeanwhile}
          currency={currency}
          errors={errors}
        />

        <PreferenceFields family={family} values={values} set={set} />

        <FormMessage>{message}</FormMessage>
        <FormButtons sticky onCancel={close} busy={busy}>
          Save All Changes
        </FormButtons>
      </form>
      {question}
    </Drawer>
  );
}

type Typed = (key: keyof EditValues) => {
  name: string;
  value: string;
  onChange: (event: { target: { value: string } }) => void;
};

const ProfileFields = ({ family, typed, errors }: { family: Family; typed: Typed; errors: Errors }) => (
  <fieldset className="grid gap-4">
    <legend className="mb-3 font-head text-xl font-semibold">Profile Information</legend>
    <Field label="Full Name" error={errors.full_name}>
      <TextInput {...typed("full_name")} dir="auto" maxLength={120} autoComplete="off" ref={focusOnMount} />
    </Field>
    <Field
      label="Email"
      error={errors.email}
      hint={
        family.unconfirmed_email ? (
          <Unconfirmed email={family.unconfirmed_email} />
        ) : family.logins > 0 ? (
          "Logins keep the email they sign in with."
        ) : undefined
      }
    >
      <EmailInput {...typed("email")} autoComplete="off" />
    </Field>
    <Field
      label="Second Email"
      optional
      error={errors.secondary_email}
      hint={family.unconfirmed_secondary_email && <Unconfirmed email={family.unconfirmed_secondary_email} />}
    >
      <EmailInput {...typed("secondary_email")} autoComplete="off" />
    </Field>
    <Field label="Child Name" error={errors.child_name}>
      <TextInput {...typed("child_name")} dir="auto" maxLength={200} autoComplete="off" />
    </Field>
  </fieldset>
);

type PreferenceProps = { family: Family; values: EditValues; set: (change: Partial<EditValues>) => void };

function PreferenceFields({ family, values, set }: PreferenceProps) {
  const mail = (key: Preference, hint: string) => ({
    name: key,
    checked: Boolean(values[key]),
    onChange: (event: { target: { checked: boolean } }) => set({ [key]: event.target.checked }),
    disabled: isStopped(family, key),
    hint: isStopped(family, key) ? "The family turned these emails off. Only they can turn them on again." : hint,
  });
  return (
    <fieldset className="grid border-t border-line pt-5">
      <legend className="float-start mb-2 w-full font-head text-xl font-semibold">Email Preferences</legend>
      <Checkbox {...mail("daily_video_email", "When a new video is published.")} label="Video Release" />
      <Checkbox {...mail("camp_updates_email", "When a live update is posted.")} label="Camp Update" />
      <Checkbox {...mail("email_notifications", "Newsletters from the camp.")} label="General Email" />
    </fieldset>
  );
}

type PlanProps = {
  values: EditValues;
  set: (change: Partial<EditValues>) => void;
  typed: Typed;
  /** The difference in cents between the amount paid and the amount typed. */
  difference: number;
  paidMeanwhile: PaidMeanwhile | null;
  currency: string;
  errors: Errors;
};

const PlanFields = ({ values, set, typed, difference, paidMeanwhile, currency, errors }: PlanProps) => (
  <fieldset className="grid gap-4 border-t border-line pt-5">
    <legend className="float-start mb-3 w-full font-head text-xl font-semibold">Payment Plan</legend>
    {values.planned ? (
      <>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field label="Total Amount" error={errors.total_amount}>
            <MoneyInput
              name="total_amount"
              value={values.total_amount}
              onChange={(total_amount) => set({ total_amount })}
            />
          </Field>
          <Field
            label="Paid Amount"
            error={errors.paid_amount}
            hint={difference === 0 ? "A change is recorded as an adjustment." : undefined}
          >
            <MoneyInput
              name="paid_amount"
              value={values.paid_amount}
              onChange={(paid_amount) => set({ paid_amount })}
            />
          </Field>
        </div>
        {paidMeanwhile && (
          <p role="status" className="text-sm text-due">
            Someone changed the paid amount from {money(paidMeanwhile.before, currency)} to{" "}
            {money(paidMeanwhile.now, currency)} meanwhile.
            {difference !== 0 && ` Your change of ${signed(difference, currency)} is added to it.`}
          </p>
        )}
        {difference !== 0 && (
          <>
            <NoteFields
              legend="Adjustment note"
              familyHint="In their payment history."
              family={typed("adjustment_note")}
              staff={typed("adjustment_staff_note")}
              errors={errors}
            />
            <p className="text-sm text-muted">
              An adjustment of {signed(difference, currency)} is recorded with these notes. No email is sent.
            </p>
          </>
        )}
        <Field label="Due Date" optional error={errors.due_date}>
          <TextInput {...typed("due_date")} type="date" />
        </Field>
      </>
    ) : (
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-md bg-sunk px-4 py-3">
        <p className="text-muted">This family has no plan.</p>
        <Button look="line" onClick={() => set({ planned: true })}>
          Set up a plan
        </Button>
      </div>
    )}
  </fieldset>
);

const Unconfirmed = ({ email }: { email: string }) => (
  <>
    They typed <bdi className="wrap-anywhere">{email}</bdi> and have not confirmed it. Enter it here only if you know it
    is theirs.
  </>
);
