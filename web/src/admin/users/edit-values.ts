import { parseMoney, typedMoney } from "../../lib/money";
import { amountProblem } from "../shared/amounts";
import { threeWay } from "../shared/form";
import type { Family, FamilyPatch } from "./queries";

/** The values of the edit form. */
export type EditValues = {
  full_name: string;
  child_name: string;
  email: string;
  secondary_email: string;
  planned: boolean;
  total_amount: string;
  paid_amount: string;
  due_date: string;
  adjustment_note: string;
  adjustment_staff_note: string;
  email_notifications: boolean;
  daily_video_email: boolean;
  camp_updates_email: boolean;
};

/** `usual` is what a new plan starts with, in cents, where it is known. */
export function valuesOf({ plan, ...family }: Family, usual: number | null = null): EditValues {
  const total = plan?.total_amount ?? usual;
  return {
    full_name: family.full_name,
    child_name: family.child_name,
    email: family.email ?? "",
    secondary_email: family.secondary_email ?? "",
    planned: Boolean(plan),
    total_amount: total === null ? "" : typedMoney(total),
    paid_amount: typedMoney(plan?.paid_amount ?? 0),
    due_date: plan?.due_date ?? "",
    adjustment_note: "",
    adjustment_staff_note: "",
    email_notifications: family.email_notifications,
    daily_video_email: family.daily_video_email,
    camp_updates_email: family.camp_updates_email,
  };
}

export const noAmount = "Please enter an amount, for example 1,250.00.";
const noNote = "Please add a note that says why the paid amount changes.";

/** The difference from what was paid, in cents, which is recorded as an adjustment (decision $1). */
export function adjustment(values: EditValues, family: Family) {
  const paid = values.planned ? parseMoney(values.paid_amount) : null;
  return paid === null ? 0 : paid - (family.plan?.paid_amount ?? 0);
}

/**
 * Keeps what the user typed when somebody else saved first. If both changed the paid amount, the user's difference is
 * kept: it adds one more adjustment, and the other person's payment stays.
 */
export function merged(mine: EditValues, base: EditValues, fresh: EditValues): EditValues {
  const kept = threeWay(mine, base, fresh);
  const [typed, before, now] = [mine, base, fresh].map(({ paid_amount }) => parseMoney(paid_amount));
  if (kept.paid_amount === fresh.paid_amount || typed == null || before == null || now == null) return kept;
  return { ...kept, paid_amount: typedMoney(now + typed - before) };
}

export function problemsOf(values: EditValues, family: Family, currency: string): Record<string, string> {
  const problem = (typed: string) =>
    amountProblem(typed, currency) ?? ((parseMoney(typed) ?? -1) < 0 ? noAmount : null);
  const [total, paid] = [problem(values.total_amount), problem(values.paid_amount)];
  return {
    ...(values.full_name.trim() || !family.full_name ? {} : { full_name: "Please enter a name." }),
    ...(values.planned && total ? { total_amount: total } : {}),
    ...(values.planned && paid ? { paid_amount: paid } : {}),
    ...(adjustment(values, family) !== 0 && !values.adjustment_note.trim() && !values.adjustment_staff_note.trim()
      ? { adjustment_note: noNote }
      : {}),
  };
}

/** Only the changed values. Money is in cents. */
export function changesOf(values: EditValues, family: Family): Omit<FamilyPatch, "version"> {
  const before = valuesOf(family);
  const changes: Omit<FamilyPatch, "version"> = {};
  for (const key of ["full_name", "child_name"] as const)
    if (values[key].trim() !== before[key]) changes[key] = values[key].trim();
  for (const key of ["email", "secondary_email"] as const)
    if (values[key].trim() !== before[key]) changes[key] = values[key].trim() || null;
  for (const key of ["email_notifications", "daily_video_email", "camp_updates_email"] as const)
    if (values[key] !== before[key]) changes[key] = values[key];
  if (!values.planned) return changes;
  const total = parseMoney(values.total_amount);
  if (total !== null && (!family.plan || total !== family.plan.total_amount)) changes.total_amount = total;
  if (values.due_date !== before.due_date) changes.due_date = values.due_date || null;
  const difference = adjustment(values, family);
  if (difference !== 0) {
    changes.paid_amount = (family.plan?.paid_amount ?? 0) + difference;
    for (const key of ["adjustment_note", "adjustment_staff_note"] as const)
      if (values[key].trim()) changes[key] = values[key].trim();
  }
  return changes;
}
