import { shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import type { Decided, Decision, Family, Filter, Payment, Plan, Sort, Standing } from "./queries";

export const filterName: Record<Filter, string> = {
  all: "All Users",
  paid: "Paid in Full",
  due: "Payment Due",
  overdue: "Overdue",
  no_plan: "No Plan",
  to_approve: "To approve",
};

export const sortName: Record<Sort, string> = {
  joined: "Join date",
  name: "Name",
  payment: "Payment",
  amount: "Amount",
  email: "Email",
};

/** The direction in which a column is first sorted. */
export const usualDirection = (sort: Sort) => (sort === "joined" || sort === "amount" ? "desc" : "asc");

export const badgeName: Record<Plan["badge"], string> = {
  paid_in_full: "Paid in Full",
  payment_due: "Payment Due",
  overdue: "Overdue",
  no_plan: "No Plan",
};

/** The three kinds of mail in a sentence. */
export const mailKinds = [
  ["daily_videos", "videos"],
  ["camp_updates", "updates"],
  ["general", "newsletters"],
] as const;

/** "videos, updates and newsletters". */
export const listed = (words: string[]) => new Intl.ListFormat("en-GB").format(words);

export const nameOf = ({ full_name }: Pick<Family, "full_name">) => full_name || "No Name";

/** Whether this parent registered on their own, and the camp has neither approved nor refused them. */
export const awaitsApproval = ({ user_type, approved_at, refused_at }: Family) =>
  user_type === "parent" && !approved_at && !refused_at;

export const approvalStatus = ({ approved_at, refused_at }: Family): Standing =>
  approved_at ? "approved" : refused_at ? "refused" : "waiting";

/** Says whether somebody gets an email about the decision. */
export function decisionMessage(told: Decided["told"], name: string, decision: Decision) {
  if (told === "by_mail") return `We’ll email ${name}.`;
  if (told === "no_address") return `${name} has not confirmed an email yet, so no email was sent.`;
  return `${name} was already ${decision === "approve" ? "approved" : "refused"}, so no email was sent.`;
}

export const recorded = (
  kind: "payment" | "refund" | "adjustment",
  amount: number,
  balance: number,
  currency: string,
) => {
  const what = { payment: "Payment", refund: "Refund", adjustment: "Adjustment" }[kind];
  return `${what} of ${money(amount, currency)} recorded successfully. Remaining balance: ${money(balance, currency)}`;
};

export const kindName: Record<Payment["kind"], string> = {
  payment: "Payment",
  adjustment: "Adjustment",
  refund: "Refund",
  void: "Void",
};

/** "+$500" or "−$120.50": how an entry changed the amount paid. */
export const signed = (cents: number, currency: string) =>
  `${cents < 0 ? "−" : "+"}${money(Math.abs(cents), currency)}`;

export function dueText({ badge, due_date }: Plan) {
  if (!due_date) return "No due date";
  return `${badge === "overdue" ? "Was due" : "Due"} ${shortDate(due_date)}`;
}

/** The share of families with a plan that have paid it in full, rounded down unless all have. */
export function paidShare({
  total_users,
  paid_in_full,
  no_plan,
}: {
  total_users: number;
  paid_in_full: number;
  no_plan: number;
}) {
  const planned = total_users - no_plan;
  return planned > 0 ? Math.floor((paid_in_full * 100) / planned) : null;
}

/** A family's address in lists. An unconfirmed one is marked. */
export const addressOf = ({ email, unconfirmed_email }: Family) =>
  email ?? (unconfirmed_email ? `${unconfirmed_email} (not confirmed)` : "No Email");
