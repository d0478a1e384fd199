import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { FamilyPayment, PaymentPlan } from "../api/client";
import { useSite } from "../api/queries";
import { count, longDate } from "../lib/format";
import { money } from "../lib/money";
import { telephone } from "../lib/telephone";
import { Badge, type BadgeTone } from "../ui/badge";
import { cx } from "../ui/class-names";
import { LinkedText } from "../ui/linked-text";
import type { IconName } from "../ui/icon";
import { ProgressBar } from "../ui/progress-bar";
import { Section } from "../ui/section";
import { ErrorState, Loading, Skeleton } from "../ui/states";
import { paymentsQuery } from "./queries";

/** A family's plan and payments. All amounts are in cents. */
export function PaymentInformation() {
  const payments = useQuery(paymentsQuery);
  const { data } = payments;
  return (
    <Section id="payments" title="Payment Information" beside={data?.plan && <PlanBadge plan={data.plan} />}>
      {data?.plan ? (
        <>
          <Plan plan={data.plan} currency={data.currency} />
          <History payments={data.items} currency={data.currency} />
          {data.payment_instructions && !data.plan.is_fully_paid && (
            <p className="mt-4">
              How to pay: <LinkedText text={data.payment_instructions} />
            </p>
          )}
          <p className="mt-4 text-sm text-muted">
            A question about your plan? <Contact />
          </p>
        </>
      ) : data ? (
        <div className="rounded-md bg-sunk px-4 py-5">
          <p>No payment plan found. Please contact camp administration.</p>
          <p className="mt-1">
            <Contact />
          </p>
        </div>
      ) : payments.isError ? (
        <ErrorState
          title="Your payments could not be loaded"
          error={payments.error}
          retrying={payments.isFetching}
          onRetry={payments.refetch}
        />
      ) : (
        <Loading label="Loading your payments" className="grid gap-4">
          <Skeleton className="h-12 w-48 max-w-full" />
          <Skeleton className="h-3 rounded-full" />
          <Skeleton className="h-24" />
        </Loading>
      )}
    </Section>
  );
}

const badges: Record<PaymentPlan["badge"], { tone: BadgeTone; icon: IconName; label: string }> = {
  paid_in_full: { tone: "good", icon: "check", label: "Paid in Full" },
  payment_due: { tone: "due", icon: "clock", label: "Payment Due" },
  overdue: { tone: "bad", icon: "alert", label: "Overdue" },
  no_plan: { tone: "plain", icon: "info", label: "No Plan" },
};

function PlanBadge({ plan }: { plan: PaymentPlan }) {
  const { label, ...look } = badges[plan.badge];
  return <Badge {...look}>{label}</Badge>;
}

function Plan({ plan, currency }: { plan: PaymentPlan; currency: string }) {
  const amount = (cents: number) => <bdi>{money(cents, currency)}</bdi>;
  const sums: [term: string, sum: ReactNode][] = [
    ["Total", amount(plan.total_amount)],
    ["Paid", amount(plan.paid_amount)],
    ["Progress", `${plan.percent}%`],
  ];
  if (plan.credit > 0) sums.push(["Credit", amount(plan.credit)]);
  return (
    <>
      <div className="grid grid-cols-[1fr_auto] items-end gap-x-6 gap-y-2">
        <p>
          <span className="block text-muted">Remaining</span>
          <strong className="block font-head text-[min(clamp(2.6rem,2rem+2.6vw,3.75rem),17vw)] leading-none font-medium tracking-tight tabular-nums">
            {amount(plan.remaining_amount)}
          </strong>
        </p>
        {plan.due_date && <DueDate date={plan.due_date} paid={plan.is_fully_paid} />}
      </div>
      <ProgressBar
        label="Paid"
        percent={plan.percent}
        tone={plan.badge === "overdue" ? "clay" : "pine"}
        className="my-4 h-3"
      />
      {/* Cuts off the line before the first amount in each row. */}
      <div className="overflow-clip">
        <dl className="-ms-2.5 flex flex-wrap gap-y-3 tabular-nums sm:-ms-4.25">
          {sums.map(([term, sum]) => (
            <div
              key={term}
              className={cx(
                "max-w-full flex-1 border-s border-line px-2.5 sm:basis-24 sm:px-4",
                // On a phone, four are in two rows.
                sums.length > 3 && "basis-2/5",
              )}
            >
              <dt className="text-sm text-muted">{term}</dt>
              <dd className="text-lg font-medium">{sum}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}

function DueDate({ date, paid }: { date: string; paid: boolean }) {
  const today = useSite()?.today;
  const days = today ? Math.round((Date.parse(date) - Date.parse(today)) / 86_400_000) : null;
  return (
    <p className="text-end text-muted">
      Due{" "}
      <time dateTime={date} className="font-medium text-ink">
        {longDate(date).replace(/^\w+, /, "")}
      </time>
      {days !== null && !paid && (
        <span className={cx("block", days < 0 && "text-clay")}>
          {days === 0 ? "today" : days > 0 ? `in ${count(days, "day")}` : `${count(-days, "day")} ago`}
        </span>
      )}
    </p>
  );
}

const kinds: Record<FamilyPayment["kind"], string> = {
  payment: "Payment",
  adjustment: "Adjustment",
  refund: "Refund",
  void: "Voided",
};

function History({ payments, currency }: { payments: FamilyPayment[]; currency: string }) {
  return (
    <>
      <h3 id="payment-history" className="mt-6 mb-2 text-lg">
        Payment history
      </h3>
      {payments.length === 0 ? (
        <p className="border-t border-line py-3 text-muted">No payments yet.</p>
      ) : (
        // Focusable, so that the keyboard can scroll it.
        <div
          role="group"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          aria-labelledby="payment-history"
          className="max-h-60 overflow-auto border-t border-line focus-visible:-outline-offset-3"
        >
          <ol>
            {payments.map((payment) => (
              <li
                key={payment.id}
                className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-line py-3 tabular-nums not-first:border-t sm:grid-cols-[9.5rem_minmax(0,1fr)_auto]"
              >
                <time dateTime={payment.payment_date} className="text-muted">
                  {longDate(payment.payment_date).replace(/^\w+, /, "")}
                </time>
                <span className="max-sm:row-start-2 max-sm:text-sm">
                  {payment.kind !== "payment" && payment.notes && `${kinds[payment.kind]}: `}
                  <bdi>{payment.notes || kinds[payment.kind]}</bdi>{" "}
                  {payment.voided && <Badge className="ms-1">Voided</Badge>}
                </span>
                <b
                  className={cx(
                    "text-end font-medium",
                    payment.amount < 0 && "text-clay",
                    payment.voided && "text-muted line-through",
                  )}
                >
                  <bdi>{money(payment.amount, currency).replace("-", "−")}</bdi>
                </b>
              </li>
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

function Contact() {
  const site = useSite();
  if (!site) return null;
  const phone = site.contact_phone && (
    <a href={telephone(site.contact_phone)} className="link whitespace-nowrap">
      <bdi dir="ltr">{site.contact_phone}</bdi>
    </a>
  );
  const email = site.contact_email && (
    <a href={`mailto:${site.contact_email}`} className="link wrap-anywhere">
      {site.contact_email}
    </a>
  );
  return (
    <>
      {phone}
      {phone && email && " or "}
      {email}
    </>
  );
}
