import { useQuery } from "@tanstack/react-query";
import { longDate } from "../../lib/format";
import { money } from "../../lib/money";
import { useParams } from "../../lib/navigation";
import { EmptyState } from "../../ui/states";
import { Letterhead, PrintPage } from "./print-page";
import { statementQuery } from "./queries";

/** Short enough to read over the phone. Takes the end of the id, which is random. */
const receiptNumber = (paymentId: string) => paymentId.replaceAll("-", "").slice(-8).toUpperCase();

export default function ReceiptPage() {
  const { id = "", paymentId = "" } = useParams();
  const query = useQuery(statementQuery(id));
  return (
    <PrintPage title="Receipt" familyId={id} query={query}>
      {(statement) => {
        const { plan, currency, date } = statement;
        const payment = statement.payments.find((one) => one.id === paymentId && one.kind === "payment");
        if (!payment)
          return <EmptyState title="Payment not found" text="Receipts are only for payments of this family." />;
        return (
          <>
            <Letterhead
              statement={statement}
              heading="Receipt"
              lines={
                <>
                  No. {receiptNumber(payment.id)}
                  <br />
                  {longDate(payment.payment_date)}
                </>
              }
            />
            {payment.voided && (
              <p role="status" className="mb-5 rounded-md border-2 border-clay px-4 py-3 font-medium text-clay">
                This payment was voided. This receipt is not valid.
              </p>
            )}
            <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-2 border-t border-line pt-5 tabular-nums">
              <dt className="font-head text-xl font-semibold">Payment received</dt>
              <dd className="text-end font-head text-xl font-semibold">{money(payment.amount, currency)}</dd>
              {payment.notes && (
                <>
                  <dt className="sr-only">Notes</dt>
                  <dd className="col-span-2 text-muted">
                    <bdi className="wrap-anywhere whitespace-pre-line">{payment.notes}</bdi>
                  </dd>
                </>
              )}
            </dl>
            {plan && (
              <dl className="mt-6 grid grid-cols-[1fr_auto] gap-x-6 gap-y-1.5 rounded-md bg-sunk px-4 py-3 text-sm tabular-nums print:border print:border-line">
                <dt className="col-span-2 mb-1 text-muted">As of {longDate(date)}</dt>
                <dt>Total</dt>
                <dd className="text-end">{money(plan.total_amount, currency)}</dd>
                <dt>Paid</dt>
                <dd className="text-end">{money(plan.paid_amount, currency)}</dd>
                <dt className="font-medium">{plan.credit > 0 ? "Credit" : "Remaining balance"}</dt>
                <dd className="text-end font-medium">
                  {money(plan.credit > 0 ? plan.credit : plan.remaining_amount, currency)}
                </dd>
              </dl>
            )}
            <p className="mt-8">Thank you.</p>
          </>
        );
      }}
    </PrintPage>
  );
}
