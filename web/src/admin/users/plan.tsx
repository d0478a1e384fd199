import { money } from "../../lib/money";
import { Badge } from "../../ui/badge";
import { ProgressBar } from "../../ui/progress-bar";
import type { Plan } from "./queries";
import { badgeName } from "./words";

export function PaymentBadge({ plan }: { plan: Plan | null | undefined }) {
  const badge = plan?.badge ?? "no_plan";
  if (badge === "paid_in_full")
    return (
      <Badge tone="good" icon="check">
        {badgeName[badge]}
      </Badge>
    );
  if (badge === "payment_due")
    return (
      <Badge tone="due" icon="clock">
        {badgeName[badge]}
      </Badge>
    );
  if (badge === "overdue")
    return (
      <Badge tone="bad" icon="clock">
        {badgeName[badge]}
      </Badge>
    );
  return <Badge>{badgeName[badge]}</Badge>;
}

/**
 * A bar with the paid share of the total. The server computes the percentage, and rounds it down unless the plan is
 * fully paid.
 */
export const PaidBar = ({ plan, name, currency }: { plan: Plan; name: string; currency: string }) => (
  <div className="grid gap-1.5 tabular-nums">
    <p className="flex flex-wrap items-baseline justify-between gap-x-1.5 text-sm whitespace-nowrap">
      <span>
        <span className="font-medium">{money(plan.paid_amount, currency)}</span>{" "}
        <span className="text-muted">of {money(plan.total_amount, currency)}</span>
      </span>
      <span className="ms-auto text-muted">{plan.percent}%</span>
    </p>
    <ProgressBar
      label={`Paid by ${name}`}
      percent={plan.percent}
      tone={plan.badge === "overdue" ? "clay" : "pine"}
      className="h-1.5"
    />
  </div>
);
