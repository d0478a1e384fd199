import { useQuery } from "@tanstack/react-query";
import { longDate, shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import { useParams } from "../../lib/navigation";
import { cx } from "../../ui/class-names";
import { Letterhead, PrintPage } from "./print-page";
import { statementQuery, type FamilyPayment } from "./queries";
import { kindName, signed } from "./words";

/** The ledger from its first entry on, each with the balance left after it. */
export function withRunningBalance(payments: readonly FamilyPayment[], total: number) {
  let paid = 0;
  return payments.toReversed().map((payment) => {
    paid += payment.amount;
    return { payment, open: total - paid };
  });
}

export default function StatementPage() {
  const { id = "" } = useParams();
  const query = useQuery(statementQuery(id));
  return (
    <PrintPage title="Statement" familyId={id} query={query}>
      {(statement) => {
        const { plan, payments, currency, date } = statement;
        const shown = (cents: number) => money(cents, currency);
        return (
          <>
            <Letterhead statement={statement} heading="Statement" lines={longDate(date)} />
            {plan ? (
              <dl className="mb-6 flex flex-wrap overflow-clip rounded-md border border-line tabular-nums">
                <Figure label="Total" value={shown(plan.total_amount)} />
                <Figure label="Paid" value={shown(plan.paid_amount)} />
                {plan.credit > 0 ? (
                  <Figure label="Credit" value={shown(plan.credit)} strong />
                ) : (
                  <Figure label="Remaining balance" value={shown(plan.remaining_amount)} strong />
                )}
                <Figure label="Due date" value={plan.due_date ? shortDate(plan.due_date) : "None"} />
              </dl>
            ) : (
              <p className="mb-6">There is no payment plan.</p>
            )}
            {payments.length > 0 ? (
              <table className="w-full text-sm tabular-nums max-sm:text-xs">
                <caption className="sr-only">Payments, oldest first</caption>
                <thead>
                  <tr className="border-b border-ink">
                    <th scope="col" className="py-2 pe-1.5 sm:pe-3 text-start font-medium">
                      Date
                    </th>
                    <th scope="col" className="px-1.5 py-2 sm:px-3 text-start font-medium">
                      What
                    </th>
                    <th scope="col" className="px-1.5 py-2 sm:px-3 text-end font-medium">
                      Amount
                    </th>
                    <th scope="col" className="py-2 ps-1.5 sm:ps-3 text-end font-medium">
                      Balance
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {withRunningBalance(payments, plan?.total_amount ?? 0).map(({ payment, open }) => (
                    <tr key={payment.id} className="break-inside-avoid border-b border-line align-top">
                      <td className="py-2 pe-1.5 sm:pe-3 min-[22rem]:whitespace-nowrap">
                        {shortDate(payment.payment_date)}
                      </td>
                      <td className="px-1.5 py-2 sm:px-3">
                        <span className={cx(payment.voided && "line-through")}>{kindName[payment.kind]}</span>
                        {payment.voided && " (voided)"}
                        {payment.notes && (
                          <span className="block text-xs wrap-anywhere whitespace-pre-line text-muted">
                            <bdi>{payment.notes}</bdi>
                          </span>
                        )}
                      </td>
                      <td
                        className={cx(
                          "px-1.5 py-2 sm:px-3 text-end whitespace-nowrap",
                          payment.voided && "line-through",
                        )}
                      >
                        {signed(payment.amount, currency)}
                      </td>
                      <td className="py-2 ps-1.5 sm:ps-3 text-end min-[22rem]:whitespace-nowrap">
                        {open < 0 ? `${shown(-open)} credit` : shown(open)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            ) : (
              <p className="text-muted">No payments have been recorded yet.</p>
            )}
          </>
        );
      }}
    </PrintPage>
  );
}

const Figure = ({ label, value, strong = false }: { label: string; value: string; strong?: boolean }) => (
  <div className="flex-1 basis-[40%] px-3 py-3 sm:basis-0 sm:px-4">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className={cx("text-[min(var(--text-lg),9vw)] whitespace-nowrap", strong && "font-semibold")}>{value}</dd>
  </div>
);
