import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { count, shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import { campDate, campDateTime } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Drawer } from "../../ui/drawer";
import { Icon } from "../../ui/icon";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { ApproveButtons } from "./approval";
import { DeleteUser } from "./delete-user";
import { EditUser } from "./edit-user";
import { InvitationButtons } from "./invitation";
import { MergeDialog } from "./merge-dialog";
import { PaidBar, PaymentBadge } from "./plan";
import { clearLimits, familyQuery, type FamilyDetail, type Payment } from "./queries";
import { RecordDialog } from "./record-dialog";
import type { Kind } from "./record-values";
import { RemoveLogin, type Login } from "./remove-login";
import { VoidDialog } from "./void-dialog";
import { dueText, kindName, listed, mailKinds, nameOf, signed, awaitsApproval } from "./words";

type Open =
  | { what: "edit" | "plan" | "merge" | "delete" }
  | { what: "record"; kind: Kind }
  | { what: "login"; login: Login }
  | { what: "void"; payment: Payment }
  | null;
type Props = { id: string; currency: string; onClose: () => void; onMergedInto: (id: string) => void };

/** A family with its ledger, its addresses and all actions. */
export function UserDrawer({ id, currency, onClose, onMergedInto }: Props) {
  const family = useQuery(familyQuery(id));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const { data } = family;

  return (
    <Drawer title={data ? <bdi>{nameOf(data)}</bdi> : "User"} onClose={onClose}>
      {data ? (
        <>
          <Person
            family={data}
            onEdit={() => setOpen({ what: "edit" })}
            onRemove={(login) => setOpen({ what: "login", login })}
          />
          <Money family={data} currency={currency} ask={setOpen} />
          <Ledger family={data} currency={currency} onVoid={(payment) => setOpen({ what: "void", payment })} />
          <Access family={data} />
          <section aria-labelledby="rest" className="mt-8 border-t border-line pt-6">
            <h3 id="rest" className="mb-3">
              Tidy up
            </h3>
            <div className="flex flex-wrap gap-3">
              <Button look="line" onClick={() => setOpen({ what: "merge" })}>
                Merge with another user
              </Button>
              <Button look="line" icon="trash" onClick={() => setOpen({ what: "delete" })} className="text-clay!">
                Delete user
              </Button>
            </div>
          </section>
          {(open?.what === "edit" || open?.what === "plan") && (
            <EditUser family={data} withPlan={open.what === "plan"} currency={currency} onClose={close} />
          )}
          {open?.what === "record" && (
            <RecordDialog family={data} kind={open.kind} currency={currency} onClose={close} />
          )}
          {open?.what === "void" && (
            <VoidDialog payment={open.payment} family={data} currency={currency} onClose={close} />
          )}
          {open?.what === "merge" && (
            <MergeDialog
              family={data}
              currency={currency}
              onClose={close}
              onMerged={(keep) => (keep === id ? close() : onMergedInto(keep))}
            />
          )}
          {open?.what === "login" && <RemoveLogin family={data} login={open.login} onClose={close} />}
          {open?.what === "delete" && <DeleteUser family={data} onClose={close} onDeleted={onClose} />}
        </>
      ) : family.isError ? (
        isApiError(family.error, "not_found") ? (
          <EmptyState title="User not found" text="It may have been deleted or merged with another user." />
        ) : (
          <ErrorState
            title="Failed to load this user"
            error={family.error}
            retrying={family.isFetching}
            onRetry={family.refetch}
          />
        )
      ) : (
        <Loading label="Loading user" className="grid gap-5">
          <Skeleton className="h-20" />
          <Skeleton className="h-28" />
          <Skeleton className="h-48" />
        </Loading>
      )}
    </Drawer>
  );
}

const addressName: Record<string, string> = {
  primary: "Primary",
  secondary: "Second",
  login: "Login only",
  pending: "Typed by the family as the second",
};

type PersonProps = { family: FamilyDetail; onEdit: () => void; onRemove: (login: Login) => void };

function Person({ family, onEdit, onRemove }: PersonProps) {
  const timeZone = useSite()?.timezone ?? "UTC";
  return (
    <section aria-label="Profile">
      <div className="flex items-start justify-between gap-3 max-sm:flex-col">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          <dt className="text-muted">Child</dt>
          <dd>
            <bdi>{family.child_name || "N/A"}</bdi>
          </dd>
          <dt className="text-muted">Email</dt>
          <dd className="grid gap-1">
            {family.emails.length === 0 && "No Email"}
            {family.emails.map(({ email, kind, verified, refused, stopped, user_id }) => (
              <span key={`${kind} ${email}`} className="flex flex-wrap items-center gap-x-2">
                <a href={`mailto:${email}`} className="link min-w-0 wrap-anywhere">
                  <bdi>{email}</bdi>
                </a>
                <span className="text-xs text-muted">
                  {addressName[kind] ?? kind}, {verified ? "verified" : "not verified"}
                </span>
                {user_id && (
                  <button
                    type="button"
                    onClick={() => onRemove({ user_id, email })}
                    className="-my-1.5 inline-flex min-h-tap items-center text-sm font-medium text-pine underline-offset-2 hover:text-clay hover:underline"
                  >
                    Remove<span className="sr-only"> the login {email}</span>
                  </button>
                )}
                {stopped.length > 0 && (
                  <span className="basis-full text-sm text-muted">
                    Stopped {listed(mailKinds.filter(([mail]) => stopped.includes(mail)).map(([, word]) => word))}; only
                    its owner can turn them back on.
                  </span>
                )}
                {refused && (
                  <span className="basis-full text-sm wrap-anywhere text-clay">
                    Emails refused: <bdi>{refused}</bdi>{" "}
                    <Link to={staffPaths.refusedAddresses} className="link">
                      What to do
                    </Link>
                  </span>
                )}
              </span>
            ))}
          </dd>
          <dt className="text-muted">Joined</dt>
          <dd>{campDate(family.created_at, timeZone)}</dd>
        </dl>
        <Button look="line" icon="edit" onClick={onEdit}>
          Edit
        </Button>
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2 empty:hidden">
        {family.user_type === "visitor" && <Badge>Visitor</Badge>}
        {family.refused_at && <Badge tone="bad">Refused</Badge>}
        {family.suppressed && (
          <Badge tone="bad" icon="mail">
            Email bounced
          </Badge>
        )}
        {awaitsApproval(family) && (
          <Badge tone="due" icon="clock">
            To approve
          </Badge>
        )}
        {!family.approved_at && <ApproveButtons family={family} />}
      </div>
    </section>
  );
}

function Money({ family, currency, ask }: { family: FamilyDetail; currency: string; ask: (open: Open) => void }) {
  const { plan } = family;
  return (
    <section aria-labelledby="plan" className="mt-6 border-t border-line pt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h3 id="plan">Payments</h3>
        <PaymentBadge plan={plan} />
      </div>
      {plan ? (
        <div className="sheet grid gap-3 p-4">
          <PaidBar plan={plan} name={nameOf(family)} currency={currency} />
          <dl className="flex flex-wrap gap-x-4 text-sm tabular-nums">
            <div className="flex-1">
              <dt className="text-muted">{plan.credit > 0 ? "Credit" : "Remaining"}</dt>
              <dd className="font-head text-[min(var(--text-xl),9vw)] whitespace-nowrap">
                {money(plan.credit > 0 ? plan.credit : plan.remaining_amount, currency)}
              </dd>
            </div>
            <div className="flex-1">
              <dt className="text-muted">Due date</dt>
              <dd className={cx("pt-0.5", plan.badge === "overdue" && "text-clay")}>{dueText(plan)}</dd>
            </div>
          </dl>
          <ReminderTimes family={family} />
        </div>
      ) : (
        <p className="text-muted">This family has no plan yet.</p>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        {plan ? (
          <>
            <Button icon="cash" onClick={() => ask({ what: "record", kind: "payment" })}>
              Record Payment
            </Button>
            <Button look="line" onClick={() => ask({ what: "record", kind: "refund" })}>
              Refund
            </Button>
            <Button look="line" onClick={() => ask({ what: "record", kind: "adjustment" })}>
              Adjustment
            </Button>
          </>
        ) : (
          <Button look="line" icon="plus" onClick={() => ask({ what: "plan" })}>
            Set up a plan
          </Button>
        )}
      </div>
    </section>
  );
}

/** When the family was reminded, and when it will be reminded next. */
function ReminderTimes({ family: { plan, reminders } }: { family: FamilyDetail }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { last_sent_at, next_at } = reminders;
  if (!last_sent_at && (plan?.is_fully_paid || !plan?.due_date)) return null;
  return (
    <p className="flex flex-wrap gap-x-4 border-t border-line pt-3 text-sm text-muted">
      {last_sent_at && <span>Last reminder: {campDateTime(last_sent_at, timeZone)}</span>}
      {!plan?.is_fully_paid && plan?.due_date && (
        <span>{next_at ? `Next reminder: ${campDateTime(next_at, timeZone)}` : "No reminder is planned."}</span>
      )}
    </p>
  );
}

function Ledger({
  family,
  currency,
  onVoid,
}: {
  family: FamilyDetail;
  currency: string;
  onVoid: (payment: Payment) => void;
}) {
  return (
    <section aria-labelledby="ledger" className="mt-6">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h4 id="ledger" className="font-medium">
          Ledger
        </h4>
        {family.plan && (
          <Link
            to={staffPaths.statement(family.id)}
            className="link inline-flex min-h-tap items-center gap-1.5 text-sm"
          >
            <Icon name="print" />
            Statement
          </Link>
        )}
      </div>
      {family.payments.length === 0 ? (
        <p className="text-sm text-muted">Nothing has been recorded yet.</p>
      ) : (
        <ol className="sheet mt-1 overflow-clip">
          {family.payments.map((payment) => (
            <LedgerRow
              key={payment.id}
              payment={payment}
              family={family}
              currency={currency}
              onVoid={() => onVoid(payment)}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function LedgerRow({
  payment,
  family,
  currency,
  onVoid,
}: {
  payment: Payment;
  family: FamilyDetail;
  currency: string;
  onVoid: () => void;
}) {
  const { kind, amount, payment_date, notes, staff_notes, voided, recorded_by } = payment;
  const about = ` ${kindName[kind].toLowerCase()} of ${money(Math.abs(amount), currency)}, ${shortDate(payment_date)}`;
  return (
    <li className="border-line px-4 py-2.5 not-first:border-t">
      <div className="flex items-baseline justify-between gap-3">
        <p className="min-w-0">
          <span className={cx("font-medium", voided && "text-muted line-through")}>{kindName[kind]}</span>{" "}
          <time dateTime={payment_date} className="text-sm text-muted">
            {shortDate(payment_date)}
          </time>
          {voided && <Badge className="ms-2">Voided</Badge>}
        </p>
        <span
          className={cx(
            "shrink-0 font-medium tabular-nums",
            voided ? "text-muted line-through" : amount < 0 && "text-clay",
          )}
        >
          {signed(amount, currency)}
        </span>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <p className="min-w-0 text-sm text-muted">
          {notes && <bdi className="whitespace-pre-line">{notes}</bdi>}
          {notes && recorded_by && " · "}
          {recorded_by && (
            <>
              by <bdi>{recorded_by}</bdi>
            </>
          )}
          {staff_notes && (
            <span className="block">
              Only staff: <bdi className="whitespace-pre-line">{staff_notes}</bdi>
            </span>
          )}
        </p>
        {!voided && kind !== "void" && (
          <span className="-my-1.5 ms-auto flex gap-x-4">
            {kind === "payment" && (
              <Link
                to={staffPaths.receipt(family.id, payment.id)}
                className="link inline-flex min-h-tap items-center text-sm"
              >
                Receipt<span className="sr-only"> of{about}</span>
              </Link>
            )}
            <button
              type="button"
              onClick={onVoid}
              className="inline-flex min-h-tap items-center text-sm font-medium text-pine underline-offset-2 hover:text-clay hover:underline"
            >
              Void<span className="sr-only">{about}</span>
            </button>
          </span>
        )}
      </div>
    </li>
  );
}

function Access({ family }: { family: FamilyDetail }) {
  const clear = useAction({
    mutationFn: () => clearLimits(family.id),
    onSuccess: () => toast({ title: "Success", description: "They can try to sign in again right away." }),
    onError: (error) => toastFailure(error),
  });
  return (
    <section aria-labelledby="access" className="mt-8 border-t border-line pt-6">
      <h3 id="access" className="mb-2">
        Sign-in
      </h3>
      <p className="mb-3 text-muted">
        {family.logins > 0
          ? `${count(family.logins, "login")} on this family.`
          : family.invited
            ? "Invited, but no one has signed up yet."
            : "No one has signed up yet, and no invitation was sent."}
      </p>
      <div className="flex flex-wrap gap-3">
        <InvitationButtons family={family} />
        {family.logins > 0 && (
          <Button look="line" busy={clear.isPending} onClick={() => clear.mutate()}>
            Clear failed sign-ins
          </Button>
        )}
      </div>
    </section>
  );
}
