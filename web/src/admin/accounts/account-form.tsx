import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { explain, text, useForm } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Field, FormMessage, PasswordInput, Select, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { isTurnedAway } from "../session";
import { takesFocus } from "../takes-focus";
import { addAccount, changeAccount, type Account, type AccountPatch, type Role } from "./queries";

export const allRequired = "All fields are required";

/** Only what was changed, so that two owners at one account do not undo each other. */
export function accountChanges(before: Account, typed: { username: string; email: string; role: Role; password: string }): Partial<AccountPatch> {
  return {
    ...(typed.username !== before.username ? { username: typed.username } : {}),
    ...(typed.email !== before.email ? { email: typed.email } : {}),
    ...(typed.role !== before.role ? { role: typed.role } : {}),
    ...(typed.password ? { password: typed.password } : {}),
  };
}

type Props = { account?: Account; onDone: () => Promise<unknown>; onCancel: () => void };

/** A new account, or a row of the list while it is edited. */
export function AccountForm({ account, onDone, onCancel }: Props) {
  const shortest = useSite()?.password_min_length;
  const { busy, errors, message, form } = useForm({
    check: (data) => {
      const fields = account ? ["username", "email"] : ["username", "email", "password"];
      return Object.fromEntries(fields.filter((name) => text(data, name).trim() === "").map((name) => [name, allRequired]));
    },
    submit: async (data) => {
      const typed = {
        username: text(data, "username").trim(),
        email: text(data, "email").trim(),
        role: text(data, "role") as Role,
        password: text(data, "password"),
      };
      if (!account) return addAccount(typed);
      const changes = accountChanges(account, typed);
      return Object.keys(changes).length > 0 ? changeAccount(account.id, changes) : account;
    },
    done: async () => {
      toast({ title: "Success", description: account ? "Admin account updated successfully" : "Admin account created successfully" });
      await onDone();
    },
    failed: (error) => {
      if (isTurnedAway(error)) return true;
      toast({ title: "Error", description: isApiError(error, "conflict") ? error.message : explain(error), destructive: true });
      return false;
    },
  });

  return (
    <form {...form} aria-label={account ? `Edit ${account.username}` : "Add an account"} autoComplete="off" className="grid gap-4">
      <div className="grid items-start gap-4 md:grid-cols-2">
        <Field label="Username" error={errors.username}>
          <TextInput name="username" defaultValue={account?.username} maxLength={60} autoComplete="off" autoCapitalize="none" spellCheck={false} ref={takesFocus} required />
        </Field>
        <Field label="Email" error={errors.email}>
          <TextInput name="email" type="email" dir="ltr" defaultValue={account?.email} maxLength={254} autoComplete="off" required />
        </Field>
        <Field label="Role" error={errors.role} hint="Owners also see admin accounts, settings, exports and the audit log.">
          <Select name="role" defaultValue={account?.role ?? "staff"}>
            <option value="staff">Staff</option>
            <option value="owner">Owner</option>
          </Select>
        </Field>
        <Field
          label={account ? "New password" : "Password"}
          optional={account !== undefined}
          error={errors.password}
          hint={account ? "Empty keeps the one there is. A new one signs the account out everywhere." : shortest ? `At least ${shortest} characters.` : undefined}
        >
          <PasswordInput name="password" maxLength={200} autoComplete="new-password" required={!account} />
        </Field>
      </div>
      <FormMessage>{message}</FormMessage>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={onCancel}>Cancel</Button>
        <Button type="submit" busy={busy}>{busy ? "Saving..." : account ? "Save account" : "Add account"}</Button>
      </div>
    </form>
  );
}
