import { parseMoney } from "../../lib/money";
import { amountProblem } from "../shared/amounts";
import type { NewPayment, Plan } from "./queries";

export type Kind = NewPayment["kind"];
export type Direction = "more" | "less";
export type RecordValues = {
  kind: Kind;
  amount: string;
  direction: Direction;
  payment_date: string;
  notes: string;
  staff_notes: string;
  as_credit: boolean;
};

export const recordTitle: Record<Kind, string> = {
  payment: "Record Payment",
  refund: "Record Refund",
  adjustment: "Record Adjustment",
};
export const noAmount = "Please enter an amount greater than 0.";

/** The amount to send; an adjustment may be negative. */
export function amountOf({
  kind,
  amount,
  direction,
}: Pick<RecordValues, "kind" | "amount" | "direction">): number | null {
  const cents = parseMoney(amount);
  if (cents === null || cents <= 0) return null;
  return kind === "adjustment" && direction === "less" ? -cents : cents;
}

/** How much of the total is still unpaid once this is recorded. Never below 0. */
export function balanceAfter(plan: Plan, values: Pick<RecordValues, "kind" | "amount" | "direction">): number | null {
  const amount = amountOf(values);
  if (amount === null) return null;
  return Math.max(0, plan.total_amount - plan.paid_amount - (values.kind === "refund" ? -amount : amount));
}

export function problemsOf(values: RecordValues, today: string, currency: string): Record<string, string> {
  const amount = amountProblem(values.amount, currency) ?? (amountOf(values) === null ? noAmount : null);
  return {
    ...(amount ? { amount } : {}),
    ...(!values.payment_date
      ? { payment_date: "Please choose a date." }
      : values.payment_date > today
        ? { payment_date: "The payment date cannot be in the future." }
        : {}),
    ...(values.kind === "adjustment" && !values.notes.trim() && !values.staff_notes.trim()
      ? { notes: "Please add a note that says why." }
      : {}),
  };
}
