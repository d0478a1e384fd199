import { useRef, useState } from "react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { useFilters } from "../../lib/filters";
import { ago } from "../../lib/format";
import { Badge } from "../../ui/badge";
import { Button, IconButton, buttonLook } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { ConfirmDialog } from "../../ui/dialog";
import { Select } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { keepFocus } from "../shared/restore-focus";
import { Listing } from "../shared/listing";
import { OwnersOnly } from "../shared/owners-only";
import { PageHead } from "../shared/page-head";
import { roleName, useStaff } from "../shared/session";
import { takesFocus } from "../shared/focus-on-mount";
import { AccountForm } from "./account-form";
import { OwnTwoFactor } from "./own-two-factor";
import { SessionsDialog } from "./sessions-dialog";
import { accountsQuery, changeAccount, deleteAccount, kinds, sendReset, type Account, type Kind } from "./queries";

type Open = { what: "delete" | "disable" | "reset" | "sessions" | "two-factor"; account: Account } | null;

const head = { title: "Admin Management", description: "Who may sign in to the staff area" };

/** Who may sign in to the staff area. Passwords are never shown. */
export default function Accounts() {
  return (
    <OwnersOnly {...head} advice="Ask an owner of the portal when an account has to change.">
      <AccountList />
    </OwnersOnly>
  );
}

function AccountList() {
  const client = useQueryClient();
  const me = useStaff();
  const timeZone = useSite()?.timezone ?? "UTC";
  const filters = useFilters();
  const asked = filters.params.get("show") ?? "";
  const kind = Object.hasOwn(kinds, asked) ? (asked as Kind) : null;
  const accounts = useInfiniteQuery(accountsQuery(kind));
  const [adding, setAdding] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const changed = () => client.invalidateQueries({ queryKey: ["admin"] });
  function endEditing() {
    setEdited(editing);
    setEditing(null);
  }

  const enable = useMutation({
    mutationFn: (account: Account) => changeAccount(account, { disabled: false }),
    onSuccess: async () => {
      toast({ title: "Success", description: "Admin account updated successfully" });
      await changed();
    },
    onError: async (error) => {
      toastFailure(error);
      if (isApiError(error, "stale")) await changed();
    },
  });
  /** The account as it is by now, so that a second try is not of an old version. */
  const asItIs = (account: Account) => accounts.data?.find(({ id }) => id === account.id) ?? account;

  return (
    <>
      <PageHead {...head}>
        <button ref={toggle} type="button" aria-expanded={adding} onClick={() => setAdding(!adding)} className={buttonLook("main", "max-sm:w-full")}>
          <Icon name={adding ? "close" : "plus"} />
          Add Admin Account
        </button>
      </PageHead>

      {adding && (
        <section aria-labelledby="add-account" className="sheet mb-6 p-5 shadow-low sm:p-6">
          <h2 id="add-account" className="mb-4 text-xl">New account</h2>
          <AccountForm
            onCancel={() => {
              setAdding(false);
              toggle.current?.focus();
            }}
            onDone={async () => {
              setAdding(false);
              toggle.current?.focus();
              await changed();
            }}
          />
        </section>
      )}

      <div className="mb-4 sm:w-56">
        <Select aria-label="Accounts shown" value={kind ?? ""} onChange={({ target }) => filters.set({ show: target.value })}>
          <option value="">All accounts</option>
          {Object.entries(kinds).map(([one, { label }]) => <option key={one} value={one}>{label}</option>)}
        </Select>
      </div>

      <Listing
        list={accounts}
        what="accounts"
        failed="Failed to load admin accounts"
        skeleton={<AccountsSkeleton />}
        empty={
          <EmptyState title="No such accounts">
            <Button look="line" onClick={() => filters.set({ show: "" })}>Show all accounts</Button>
          </EmptyState>
        }
      >
        {(all) => (
          <div className="sheet overflow-clip">
            {/* Rows become cards on a phone. */}
            <table className="w-full text-start max-md:block">
              <caption className="sr-only">Admin accounts</caption>
              <thead className="text-sm text-muted max-md:sr-only">
                <tr className="border-b border-line">
                  {["Username", "Role", "Two-factor", "Last sign-in", "Actions"].map((name) => (
                    <th key={name} scope="col" className="px-4 py-2.5 text-start font-medium last:text-end">{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody className="max-md:block">
                {all.map((account) =>
                  editing === account.id ? (
                    <tr key={account.id} className="border-line not-first:border-t max-md:block">
                      <td colSpan={5} className="bg-paper p-4 max-md:block sm:p-5">
                        <AccountForm
                          account={account}
                          own={account.id === me?.id}
                          onCancel={endEditing}
                          onDone={async () => {
                            endEditing();
                            await changed();
                            keepFocus();
                          }}
                        />
                      </td>
                    </tr>
                  ) : (
                    <AccountRow
                      key={account.id}
                      account={account}
                      mine={account.id === me?.id}
                      wasEdited={account.id === edited}
                      only={!kind && all.length === 1 && !accounts.hasNextPage}
                      timeZone={timeZone}
                      onEdit={() => {
                        setEdited(null);
                        setEditing(account.id);
                      }}
                      onEnable={() => enable.mutate(account)}
                      ask={(what) => setOpen({ what, account })}
                    />
                  ),
                )}
              </tbody>
            </table>
          </div>
        )}
      </Listing>

      {open?.what === "two-factor" && me && <OwnTwoFactor staff={me} onClose={() => setOpen(null)} />}
      {open?.what === "sessions" && <SessionsDialog account={open.account} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && (
        <ConfirmDialog
          title="Delete this admin account?"
          name={<bdi>{open.account.username}</bdi>}
          action="Delete account"
          onClose={() => setOpen(null)}
          onConfirm={() => ends(async () => {
            await deleteAccount(open.account.id).catch((error: unknown) => {
              // Somebody was quicker: it is gone, as was wanted.
              if (!isApiError(error, "not_found")) throw error;
            });
            toast({ title: "Success", description: "Admin account deleted successfully" });
            await changed();
          })}
        >
          {open.account.id === me?.id ? "This is your own account: you are signed out at once. " : "They are signed out at once. "}What the account did stays in the audit log. This cannot be undone.
        </ConfirmDialog>
      )}
      {open?.what === "disable" && (
        <ConfirmDialog
          title="Disable this admin account?"
          name={<bdi>{open.account.username}</bdi>}
          action="Disable account"
          onClose={() => setOpen(null)}
          onConfirm={() => ends(async () => {
            await changeAccount(asItIs(open.account), { disabled: true }).catch(async (error: unknown) => {
              if (isApiError(error, "stale")) await changed();
              throw error;
            });
            toast({ title: "Success", description: "Admin account updated successfully" });
            await changed();
          })}
        >
          {open.account.id === me?.id ? "This is your own account: you are signed out at once, and another owner has to let you in again." : "They are signed out at once and cannot sign in until you enable the account again."}
        </ConfirmDialog>
      )}
      {open?.what === "reset" && (
        <ConfirmDialog
          title="Mail a link for a new password?"
          name={<><bdi>{open.account.username}</bdi> <span className="font-normal text-muted">{open.account.email}</span></>}
          action="Send the link"
          onClose={() => setOpen(null)}
          onConfirm={() => ends(async () => {
            await sendReset(open.account.id);
            toast({ title: "Link sent", description: `${open.account.email} gets a link to choose a new password.` });
          })}
        >
          The password of today works until a new one is chosen.
        </ConfirmDialog>
      )}
    </>
  );
}

/** The sentence stands in the dialog; the toast says it as well, as everywhere. */
async function ends(work: () => Promise<unknown>) {
  try {
    await work();
  } catch (error) {
    toastFailure(error);
    throw error;
  }
}

type RowProps = {
  account: Account;
  mine: boolean;
  /** Its form has just made room for it again. */
  wasEdited: boolean;
  only: boolean;
  timeZone: string;
  onEdit: () => void;
  onEnable: () => void;
  ask: (what: NonNullable<Open>["what"]) => void;
};

function AccountRow({ account, mine, wasEdited, only, timeZone, onEdit, onEnable, ask }: RowProps) {
  const { username, email, disabled, two_factor, last_sign_in_at } = account;
  return (
    <tr className={cx("border-line not-first:border-t max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-4 max-md:gap-y-1 max-md:p-4", disabled && "text-muted")}>
      <td className="min-w-0 max-md:col-span-2 md:px-4 md:py-3">
        <span className="flex flex-wrap items-center gap-x-2">
          <bdi className="font-medium">{username}</bdi>
          {mine && <Badge tone="info">You</Badge>}
          {disabled && <Badge icon="lock">Disabled</Badge>}
        </span>
        <span className="block truncate text-sm text-muted" title={email}><bdi>{email}</bdi></span>
      </td>
      <td className="text-sm max-md:self-center md:px-4 md:py-3">{roleName(account)}</td>
      <td className="max-md:self-center max-md:justify-self-end md:px-4 md:py-3">
        {mine ? (
          <Button look="quiet" onClick={() => ask("two-factor")} className="-my-1.5 -ms-2.5 text-sm max-md:-me-2.5" icon={two_factor ? "check" : "lock"}>
            {two_factor ? "On" : "Set up"}
            <span className="sr-only">, your two-factor</span>
          </Button>
        ) : two_factor ? (
          <Badge tone="good" icon="check"><span className="md:sr-only">Two-factor </span>On</Badge>
        ) : (
          <Badge><span className="md:sr-only">Two-factor </span>Off</Badge>
        )}
      </td>
      <td className="text-sm text-muted max-md:self-center md:px-4 md:py-3">
        <span className="md:sr-only">Last sign-in: </span>
        {last_sign_in_at ? <time dateTime={last_sign_in_at}>{ago(last_sign_in_at, timeZone)}</time> : "never"}
      </td>
      <td className="md:px-2 md:py-1.5">
        <div className="flex justify-end max-md:-me-2">
          <IconButton ref={wasEdited ? takesFocus : undefined} icon="edit" label={`Edit ${username}`} title="Edit" onClick={onEdit} />
          <IconButton icon="system" label={`Sessions of ${username}`} title="Sessions" onClick={() => ask("sessions")} />
          <IconButton icon="mail" label={`Mail ${username} a link for a new password`} title="Reset the password by mail" disabled={disabled} onClick={() => ask("reset")} />
          {disabled ? (
            <IconButton icon="refresh" label={`Enable ${username}`} title="Enable" onClick={onEnable} />
          ) : (
            <IconButton icon="lock" label={`Disable ${username}`} title="Disable" disabled={only} onClick={() => ask("disable")} />
          )}
          <IconButton icon="trash" danger label={`Delete ${username}`} title={only ? "Cannot delete the last admin account" : "Delete"} disabled={only} onClick={() => ask("delete")} />
        </div>
      </td>
    </tr>
  );
}

const AccountsSkeleton = () => (
  <Loading label="Loading admin accounts" className="sheet px-4">
    {Array.from({ length: 4 }, (_, i) => (
      <div key={i} className="flex items-center gap-6 border-line py-4 not-first:border-t"><Skeleton className="h-9 w-1/3" /><Skeleton className="w-20" /><Skeleton className="flex-1" /></div>
    ))}
  </Loading>
);
