import type { ReactNode } from "react";
import { money } from "../../lib/money";
import { Badge } from "../../ui/badge";
import { IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Switch } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { Loading, Skeleton } from "../../ui/states";
import { ApproveButtons } from "./approval";
import { RowInvitation } from "./invitation";
import { PaidBar, PaymentBadge } from "./plan";
import { isStopped, usePreference } from "./preferences";
import type { Direction, Family, Sort } from "./queries";
import { addressOf, nameOf, awaitsApproval } from "./words";

type Ask = (what: "edit" | "plan" | "pay" | "delete", family: Family) => void;
type Props = {
  users: Family[];
  currency: string;
  sort: Sort;
  direction: Direction;
  onSort: (sort: Sort) => void;
  onShow: (family: Family) => void;
  ask: Ask;
};

const cell = "@4xl:px-2 @4xl:py-1.5 @4xl:first:ps-5 @4xl:last:pe-2";

/** Families as rows, or as cards where seven columns do not fit. */
export function UserTable({ users, currency, sort, direction, onSort, onShow, ask }: Props) {
  const sorted = { sort, direction, onSort };
  return (
    <div className="sheet @container overflow-clip">
      <table className="w-full text-start @max-4xl:block @4xl:table-fixed">
        <caption className="sr-only">Users</caption>
        <thead className="text-sm text-muted @max-4xl:sr-only">
          <tr className="border-b border-line">
            <Heading by="name" {...sorted}>
              Name
            </Heading>
            <Heading wide="w-28">Child</Heading>
            <Heading by="payment" wide="w-33" {...sorted}>
              Payment
            </Heading>
            <Heading by="amount" wide="w-44 @5xl:w-47" {...sorted}>
              Amount
            </Heading>
            <Heading wide="w-15">Videos</Heading>
            <Heading wide="w-17">Updates</Heading>
            <Heading wide="w-41">
              <span className="sr-only">Actions</span>
            </Heading>
          </tr>
        </thead>
        <tbody className="@max-4xl:block">
          {users.map((family) => (
            <UserRow key={family.id} family={family} currency={currency} onShow={() => onShow(family)} ask={ask} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadingProps = { children: ReactNode; wide?: string } & (
  { by: Sort; sort: Sort; direction: Direction; onSort: (sort: Sort) => void } | { by?: never }
);

function Heading(props: HeadingProps) {
  const look = cx("px-2 text-start font-medium whitespace-nowrap first:ps-5", props.wide);
  if (!props.by)
    return (
      <th scope="col" className={look}>
        {props.children}
      </th>
    );
  const { by, sort, direction, onSort, children } = props;
  const current = by === sort;
  return (
    <th
      scope="col"
      aria-sort={current ? (direction === "asc" ? "ascending" : "descending") : undefined}
      className={look}
    >
      <button
        type="button"
        onClick={() => onSort(by)}
        className={cx(
          "-ms-1 inline-flex min-h-tap items-center gap-1.5 rounded-sm px-1 hover:text-ink",
          current && "text-ink",
        )}
      >
        {children}
        <Icon name="up" className={cx("size-[1em]", !current && "invisible", direction === "desc" && "rotate-180")} />
      </button>
    </th>
  );
}

function UserRow({
  family,
  currency,
  onShow,
  ask,
}: {
  family: Family;
  currency: string;
  onShow: () => void;
  ask: Ask;
}) {
  const name = nameOf(family);
  const { plan } = family;
  return (
    <tr className="border-line not-first:border-t @max-4xl:grid @max-4xl:grid-cols-[auto_minmax(0,1fr)] @max-4xl:items-center @max-4xl:gap-x-2 @max-4xl:gap-y-1 @max-4xl:p-4">
      <td className={cx(cell, "min-w-0 @max-4xl:col-span-2")}>
        <FamilyName family={family} onShow={onShow} />
        <Notes family={family} />
      </td>
      <td className={cx(cell, "text-sm @max-4xl:col-span-2")}>
        <span className="text-muted @4xl:hidden">Child </span>
        <bdi>{family.child_name || "N/A"}</bdi>
      </td>
      <td className={cx(cell, "@max-4xl:hidden")}>
        <PaymentBadge plan={plan} />
      </td>
      <td className={cx(cell, "@max-4xl:col-span-2 @max-4xl:py-1")}>
        {plan ? (
          <>
            <PaidBar plan={plan} name={name} currency={currency} />
            {plan.credit > 0 && (
              <p className="mt-1 text-xs text-muted tabular-nums">{money(plan.credit, currency)} credit</p>
            )}
          </>
        ) : (
          <button
            type="button"
            onClick={() => ask("plan", family)}
            className="link inline-flex min-h-tap items-center text-sm"
          >
            Set up a plan<span className="sr-only"> for {name}</span>
          </button>
        )}
      </td>
      <td className={cx(cell, "@max-3xs:col-span-2")}>
        <MailSwitch family={family} preference="daily_video_email" label="Videos" />
      </td>
      <td className={cx(cell, "@max-4xl:col-start-1 @max-3xs:col-span-2")}>
        <MailSwitch family={family} preference="camp_updates_email" label="Updates" />
      </td>
      <td className={cx(cell, "@max-4xl:contents @4xl:ps-0")}>
        <div className="@max-4xl:contents @4xl:flex @4xl:justify-end">
          {family.logins === 0 && <RowInvitation family={family} />}
          <RowActions family={family} ask={ask} />
        </div>
      </td>
    </tr>
  );
}

function RowActions({ family, ask }: { family: Family; ask: Ask }) {
  const name = nameOf(family);
  return (
    <div className="flex justify-end @max-4xl:col-start-2 @max-4xl:row-span-2 @max-4xl:row-start-4 @max-4xl:-me-2 @max-4xl:self-end @max-3xs:col-span-2 @max-3xs:col-start-1 @max-3xs:row-auto @4xl:[&>button]:w-7.75">
      <IconButton icon="edit" label={`Edit ${name}`} title="Edit" onClick={() => ask("edit", family)} />
      <IconButton
        icon="cash"
        label={`Add payment for ${name}`}
        title="Record payment"
        onClick={() => ask("pay", family)}
      />
      <IconButton icon="trash" danger label={`Delete ${name}`} title="Delete" onClick={() => ask("delete", family)} />
    </div>
  );
}

/** The name and address, which open the details. On a card, the payment badge is in the corner. */
function FamilyName({ family, onShow }: { family: Family; onShow: () => void }) {
  return (
    <div className="relative">
      <button type="button" onClick={onShow} className="group max-w-full min-w-0 rounded-sm text-start">
        {/* The line keeps the page's direction. Only the name inside has its own. */}
        <span className="flex flex-wrap items-center gap-x-2 @max-4xl:pe-32 @max-3xs:pe-0">
          <bdi
            className={cx(
              "font-medium wrap-anywhere underline-offset-2 group-hover:underline",
              !family.full_name && "text-muted",
            )}
          >
            {nameOf(family)}
          </bdi>
          {family.user_type === "visitor" && <Badge>Visitor</Badge>}
        </span>
        <span className="block text-sm wrap-anywhere text-muted">
          <EmailAddress text={addressOf(family)} />
        </span>
        <span className="sr-only">, details</span>
      </button>
      <span className="absolute end-0 top-0 @max-3xs:static @4xl:hidden">
        <PaymentBadge plan={family.plan} />
      </span>
    </div>
  );
}

/** An address that is too long breaks before its @. */
function EmailAddress({ text }: { text: string }) {
  const at = text.indexOf("@");
  if (at < 0) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </bdi>
  );
}

/** What needs attention, and how to fix it. */
function Notes({ family }: { family: Family }) {
  const waiting = awaitsApproval(family);
  if (!waiting && !family.refused_at && !family.suppressed) return null;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1">
      {family.refused_at && <Badge tone="bad">Refused</Badge>}
      {family.suppressed && (
        <Badge tone="bad" icon="mail">
          Email bounced
        </Badge>
      )}
      {waiting && <ApproveButtons family={family} />}
    </div>
  );
}

function MailSwitch({
  family,
  preference,
  label,
}: {
  family: Family;
  preference: "daily_video_email" | "camp_updates_email";
  label: string;
}) {
  const [on, set] = usePreference(family, preference);
  const stopped = isStopped(family, preference);
  return (
    <Switch
      label={
        <span className="text-sm font-normal text-muted @4xl:sr-only">
          {label}
          <span className="sr-only">
            {" "}
            mail to {nameOf(family)}
            {stopped && ", turned off by the family"}
          </span>
        </span>
      }
      checked={on}
      disabled={stopped}
      title={stopped ? "The family turned these emails off" : undefined}
      onChange={(event) => set(event.target.checked)}
      className="gap-3! @max-4xl:min-h-9! @max-4xl:w-29 @4xl:justify-start! @4xl:gap-0! @4xl:[&>div]:flex-none"
    />
  );
}

export const UsersSkeleton = () => (
  <Loading label="Loading users..." className="sheet overflow-clip">
    {Array.from({ length: 9 }, (_, i) => (
      <div key={i} className="flex items-center gap-6 border-line px-5 py-3.5 not-first:border-t">
        <div className="grid flex-1 gap-2">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-3 w-4/5" />
        </div>
        <Skeleton className="h-5 w-24 rounded-full" />
        <div className="grid w-40 gap-2 max-md:hidden">
          <Skeleton className="h-3" />
          <Skeleton className="h-1.5 rounded-full" />
        </div>
        <div className="w-56 max-md:hidden" />
      </div>
    ))}
  </Loading>
);
