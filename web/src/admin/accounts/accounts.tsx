import { useRef, useState, type ComponentProps } from "react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useFilters } from "../../lib/filters";
import { Button, buttonLook } from "../../ui/button";
import { Select } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { EmptyState } from "../../ui/states";
import { Listing } from "../shared/listing";
import { OwnersOnly } from "../shared/owners-only";
import { PageHead } from "../shared/page-head";
import { AccountDialog, type Question } from "./account-dialogs";
import { AccountForm, type Closable } from "./account-form";
import { AccountTable, AccountsSkeleton } from "./account-table";
import { accountsQuery, kinds, type Account, type Kind } from "./queries";

const head = { title: "Admin Management", description: "Who may sign in to the staff area" };

/** Who may sign in to the staff area. Passwords are never shown. */
export default function Accounts() {
  return (
    <OwnersOnly {...head} advice="Ask an owner to change an account.">
      <AccountList />
    </OwnersOnly>
  );
}

function AccountList() {
  const client = useQueryClient();
  const filters = useFilters();
  const asked = filters.params.get("show") ?? "";
  const kind = Object.hasOwn(kinds, asked) ? (asked as Kind) : null;
  const accounts = useInfiniteQuery(accountsQuery(kind));
  const [adding, setAdding] = useState(false);
  const [open, setOpen] = useState<{ what: Question; account: Account } | null>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const form = useRef<Closable>(null);
  const changed = () => client.invalidateQueries({ queryKey: ["admin"] });
  function closeForm() {
    setAdding(false);
    toggle.current?.focus();
  }
  /** This is known only while all owners are listed. Otherwise the server says it. */
  const owners = accounts.data?.filter(({ role, disabled }) => role === "owner" && !disabled) ?? [];
  const lastOwner = (!kind || kind === "owners") && !accounts.hasNextPage && owners.length === 1 ? owners[0]!.id : null;
  /** The newest version of an account, so that a second try does not send an old one. */
  const newest = (account: Account) => accounts.data?.find(({ id }) => id === account.id) ?? account;

  return (
    <>
      <PageHead {...head}>
        <button
          ref={toggle}
          type="button"
          aria-expanded={adding}
          onClick={() => (adding ? form.current?.close() : setAdding(true))}
          className={buttonLook("main", "max-sm:w-full")}
        >
          <Icon name={adding ? "close" : "plus"} />
          Add Admin Account
        </button>
      </PageHead>

      {adding && (
        <NewAccount
          ref={form}
          onCancel={closeForm}
          onDone={async () => {
            closeForm();
            await changed();
          }}
        />
      )}

      <div className="mb-4 sm:w-56">
        <Select
          aria-label="Accounts shown"
          value={kind ?? ""}
          onChange={({ target }) => filters.set({ show: target.value })}
        >
          <option value="">All accounts</option>
          {Object.entries(kinds).map(([one, { label }]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </Select>
      </div>

      <Listing
        list={accounts}
        what="accounts"
        failed="Failed to load admin accounts"
        skeleton={<AccountsSkeleton />}
        empty={
          <EmptyState title="No accounts found">
            <Button look="line" onClick={() => filters.set({ show: "" })}>
              Show all accounts
            </Button>
          </EmptyState>
        }
      >
        {(all) => (
          <AccountTable
            accounts={all}
            isPart={kind !== null || accounts.hasNextPage}
            onChanged={changed}
            ask={(what, account) => setOpen({ what, account })}
          />
        )}
      </Listing>

      {open && (
        <AccountDialog
          what={open.what}
          account={newest(open.account)}
          lastOwner={open.account.id === lastOwner}
          onChanged={changed}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

const NewAccount = (props: ComponentProps<typeof AccountForm>) => (
  <section aria-labelledby="add-account" className="sheet mb-6 p-5 shadow-low sm:p-6">
    <h2 id="add-account" className="mb-4 text-xl">
      New account
    </h2>
    <AccountForm {...props} />
  </section>
);
