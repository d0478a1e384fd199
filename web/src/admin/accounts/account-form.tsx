import { useSite } from "../../api/queries";
import { text } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Field, FormMessage, PasswordInput, Select, TextInput } from "../../ui/field";
import { errorToast, toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { focusOnMount } from "../shared/focus";
import { changed, DraftNotice, useDraft, useStaffForm } from "../shared/form";
import { addAccount, changeAccount, readAccount, type Account, type Role } from "./queries";

export const allRequired = "All fields are required";

const draftOf = (account: Account | null) => ({
  username: account?.username ?? "",
  email: account?.email ?? "",
  role: account?.role ?? ("staff" as Role),
  password: "",
});

type Props = { account?: Account; own?: boolean; onDone: () => Promise<unknown>; onCancel: () => void };

/** A new account, or a row of the list while it is edited. */
export function AccountForm({ account, own = false, onDone, onCancel }: Props) {
  const shortest = useSite()?.password_min_length;
  const edited = useDraft({
    opened: account ?? null,
    draftOf,
    read: readAccount,
    onGone: () => {
      errorToast("This account has been deleted in the meantime.");
      void onDone();
    },
  });
  const { row, draft, base, set, stale, reload } = edited;
  const typed = () => ({ ...draft, username: draft.username.trim(), email: draft.email.trim() });
  // Only what was changed, so that two owners at one account do not undo each other.
  const changes = row ? changed(typed(), base) : {};
  // Asks for the password, so that an unattended page is not enough to take over an account.
  const asksPassword =
    !row || changes.role === "owner" || "email" in changes || "password" in changes || (own && "username" in changes);
  const { busy, errors, message, form, close, question } = useStaffForm({
    draft: edited,
    leave: {
      name: <bdi>{account?.username ?? "A new account"}</bdi>,
      about: account ? "changes" : "typed",
      onClose: onCancel,
      inPage: true,
    },
    check: (data) => {
      const fields = row ? (["username", "email"] as const) : (["username", "email", "password"] as const);
      const missing = Object.fromEntries(
        fields.filter((name) => draft[name].trim() === "").map((name) => [name, allRequired]),
      );
      return asksPassword && text(data, "current_password") === ""
        ? { ...missing, current_password: "Please enter your current password." }
        : missing;
    },
    submit: async (data) => {
      if (!row) return addAccount({ ...typed(), current_password: text(data, "current_password") });
      if (Object.keys(changes).length === 0) return row;
      return changeAccount(
        row,
        asksPassword ? { ...changes, current_password: text(data, "current_password") } : changes,
      );
    },
    done: async () => {
      toast({
        title: "Success",
        description: account ? "Admin account updated successfully" : "Admin account created successfully",
      });
      await onDone();
    },
    failed: (error) => toastFailure(error),
  });

  return (
    <form
      {...form}
      aria-label={account ? `Edit ${account.username}` : "Add an account"}
      autoComplete="off"
      onKeyDown={(event) => event.key === "Escape" && close()}
      className="grid gap-4"
    >
      <DraftNotice what="account" stale={stale} onReload={reload} />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Field label="Username" error={errors.username}>
          <TextInput
            name="username"
            value={draft.username}
            onChange={(event) => set({ username: event.target.value })}
            maxLength={60}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            ref={focusOnMount}
            required
          />
        </Field>
        <Field label="Email" error={errors.email}>
          <TextInput
            name="email"
            type="email"
            dir="ltr"
            value={draft.email}
            onChange={(event) => set({ email: event.target.value })}
            maxLength={254}
            autoComplete="off"
            required
          />
        </Field>
        <Field
          label="Role"
          error={errors.role}
          hint="Owners also see admin accounts, settings, exports and the audit log."
        >
          <Select name="role" value={draft.role} onChange={(event) => set({ role: event.target.value as Role })}>
            <option value="staff">Staff</option>
            <option value="owner">Owner</option>
          </Select>
        </Field>
        <Field
          label={account ? "New password" : "Password"}
          optional={account !== undefined}
          error={errors.password}
          hint={
            account
              ? "Empty keeps the one there is. A new one signs the account out everywhere."
              : shortest
                ? `At least ${shortest} characters.`
                : undefined
          }
        >
          <PasswordInput
            name="password"
            value={draft.password}
            onChange={(event) => set({ password: event.target.value })}
            maxLength={200}
            autoComplete="new-password"
            required={!account}
          />
        </Field>
        {asksPassword && (
          <Field
            label="Your current password"
            error={errors.current_password}
            hint={
              own
                ? "Needed to change what you sign in with."
                : "Needed to add an account, to make an owner, and to change another account's email or password."
            }
          >
            <PasswordInput name="current_password" autoComplete="current-password" maxLength={200} required />
          </Field>
        )}
      </div>
      <FormMessage>{message}</FormMessage>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" busy={busy}>
          {busy ? "Saving..." : account ? "Save account" : "Add account"}
        </Button>
      </div>
      {question}
    </form>
  );
}
