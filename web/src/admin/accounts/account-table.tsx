import { useState } from "react";
import { useSite } from "../../api/queries";
import { ago } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Badge } from "../../ui/badge";
import { buttonLook, IconButton, iconButtonLook } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Icon } from "../../ui/icon";
import { Loading, Skeleton } from "../../ui/states";
import { focusOnMount, restoreFocus } from "../../ui/focus";
import { roleName, useStaff } from "../shared/session";
import type { Question } from "./account-dialogs";
import { AccountForm } from "./account-form";
import type { Account } from "./queries";

type Props = {
  accounts: Account[];
  /** Whether there may be more accounts than these. */
  isPart: boolean;
  onChanged: () => Promise<unknown>;
  ask: (what: Question, account: Account) => void;
};

/** One row for each account. A row becomes a form while it is edited, and a card on a phone. */
export function AccountTable({ accounts, isPart, onChanged, ask }: Props) {
  const me = useStaff();
  const timeZone = useSite()?.timezone ?? "UTC";
  const [editing, setEditing] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<string | null>(null);
  function endEditing(id: string) {
    setEdited(id);
    setEditing((now) => new Set([...now].filter((one) => one !== id)));
  }

  return (
    <div className="sheet @container overflow-clip">
      <table className="w-full text-start max-md:block">
        <caption className="sr-only">Admin accounts</caption>
        <thead className="text-sm text-muted max-md:sr-only">
          <tr className="border-b border-line">
            {["Username", "Role", "Two-factor", "Last sign-in", "Actions"].map((name) => (
              <th key={name} scope="col" className="px-4 py-2.5 text-start font-medium last:text-end">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block">
          {accounts.map((account) =>
            editing.has(account.id) ? (
              <tr key={account.id} className="border-line not-first:border-t max-md:block">
                <td colSpan={5} className="bg-paper p-4 max-md:block sm:p-5">
                  <AccountForm
                    account={account}
                    onCancel={() => endEditing(account.id)}
                    onDone={async () => {
                      endEditing(account.id);
                      await onChanged();
                      restoreFocus();
                    }}
                  />
                </td>
              </tr>
            ) : (
              <AccountRow
                key={account.id}
                account={account}
                mine={account.id === me?.id}
                isOnly={!isPart && accounts.length === 1}
                wasEdited={account.id === edited}
                timeZone={timeZone}
                onEdit={() => {
                  setEdited(null);
                  setEditing((now) => new Set([...now, account.id]));
                }}
                ask={(what) => ask(what, account)}
              />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = {
  account: Account;
  mine: boolean;
  /** Whether this is the only account. */
  isOnly: boolean;
  /** Whether the form that replaced this row was just closed. */
  wasEdited: boolean;
  timeZone: string;
  onEdit: () => void;
  ask: (what: Question) => void;
};

function AccountRow({ account, mine, isOnly, wasEdited, timeZone, onEdit, ask }: RowProps) {
  const { username, email, disabled, two_factor, last_sign_in_at } = account;
  return (
    <tr
      className={cx(
        "border-line not-first:border-t max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-4 max-md:gap-y-1 max-md:p-4 max-md:@max-sm:flex max-md:@max-sm:flex-wrap max-md:@max-sm:justify-between",
        disabled && "text-muted",
      )}
    >
      <td className="min-w-0 max-md:col-span-2 max-md:@max-sm:basis-full md:px-4 md:py-3">
        <span className="flex flex-wrap items-center gap-x-2">
          <bdi className="font-medium">{username}</bdi>
          {mine && <Badge tone="info">You</Badge>}
          {disabled && <Badge icon="lock">Disabled</Badge>}
        </span>
        <span className="block truncate text-sm text-muted" title={email}>
          <bdi>{email}</bdi>
        </span>
      </td>
      <td className="text-sm max-md:self-center md:px-4 md:py-3">{roleName(account)}</td>
      <td className="max-md:self-center max-md:justify-self-end md:px-4 md:py-3">
        {mine ? (
          <Link to={staffPaths.ownAccount} className={buttonLook("quiet", "-my-1.5 -ms-2.5 text-sm max-md:-me-2.5")}>
            <Icon name={two_factor ? "check" : "lock"} />
            {two_factor ? "On" : "Set up"}
            <span className="sr-only">, your two-factor</span>
          </Link>
        ) : two_factor ? (
          <Badge tone="good" icon="check">
            <span className="md:sr-only">Two-factor </span>On
          </Badge>
        ) : (
          <Badge>
            <span className="md:sr-only">Two-factor </span>Off
          </Badge>
        )}
      </td>
      <td className="text-sm text-muted max-md:self-center max-md:@max-sm:basis-full md:px-4 md:py-3">
        <span className="md:sr-only">Last sign-in: </span>
        {last_sign_in_at ? (
          <time dateTime={last_sign_in_at} className="whitespace-nowrap">
            {ago(last_sign_in_at, timeZone)}
          </time>
        ) : (
          "never"
        )}
      </td>
      <td className="max-md:@max-sm:basis-full md:px-2 md:py-1.5">
        <div className="flex justify-end max-md:-me-2">
          <IconButton
            ref={wasEdited ? focusOnMount : undefined}
            icon="edit"
            label={`Edit ${username}`}
            title="Edit"
            onClick={onEdit}
          />
          {mine ? (
            <Link
              to={staffPaths.ownAccount}
              aria-label="Your own account"
              title="Your account"
              className={iconButtonLook()}
            >
              <Icon name="system" />
            </Link>
          ) : (
            <IconButton
              icon="system"
              label={`Sessions of ${username}`}
              title="Sessions"
              onClick={() => ask("sessions")}
            />
          )}
          <IconButton
            icon="mail"
            label={`Email ${username} a link to choose a new password`}
            title="Email a password link"
            disabled={disabled}
            onClick={() => ask("reset")}
          />
          {disabled ? (
            <IconButton icon="refresh" label={`Enable ${username}`} title="Enable" onClick={() => ask("enable")} />
          ) : (
            <IconButton icon="lock" label={`Disable ${username}`} title="Disable" onClick={() => ask("disable")} />
          )}
          <IconButton
            icon="trash"
            danger
            label={`Delete ${username}`}
            title={isOnly ? "Cannot delete the last admin account" : "Delete"}
            disabled={isOnly}
            onClick={() => ask("delete")}
          />
        </div>
      </td>
    </tr>
  );
}

export const AccountsSkeleton = () => (
  <Loading label="Loading admin accounts" className="sheet px-4">
    {Array.from({ length: 4 }, (_, i) => (
      <div key={i} className="flex items-center gap-6 border-line py-4 not-first:border-t">
        <Skeleton className="h-9 w-1/3" />
        <Skeleton className="w-20" />
        <Skeleton className="flex-1" />
      </div>
    ))}
  </Loading>
);
