import { useImperativeHandle, type Ref } from "react";
import { useSite } from "../../api/queries";
import { text, type Errors } from "../../lib/forms";
import { EmailInput, Field, FormMessage, PasswordInput, Select, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { focusOnMount } from "../../ui/focus";
import { FormButtons } from "../shared/form-buttons";
import { changed, StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { addAccount, changeAccount, readAccount, type Account, type Role } from "./queries";

export const allRequired = "All fields are required";

const valuesOf = (account: Account | null) => ({
  username: account?.username ?? "",
  email: account?.email ?? "",
  role: account?.role ?? ("staff" as Role),
  password: "",
});

/** Closes the form, but asks first if something was typed. */
export type Closable = { close: () => void };

type Props = { account?: Account; onDone: () => Promise<unknown>; onCancel: () => void; ref?: Ref<Closable> };

/** What is typed, and whether the account can be saved with it. */
function useAccountForm({ account, onDone, onCancel }: Props) {
  const edited = useFormValues({
    opened: account ?? null,
    valuesOf,
    read: readAccount,
  });
  const { row, values, base } = edited;
  const typed = { ...values, username: values.username.trim(), email: values.email.trim() };
  // Sends only the changes, so that two owners who edit the same account do not undo each other's work.
  const changes = row ? changed(typed, base) : {};
  // Asks for the password, because an unattended page must not be enough to take over an account.
  const asksPassword = !row || Object.keys(changes).length > 0;
  const state = useStaffForm({
    values: edited,
    leave: {
      name: <bdi>{account?.username ?? "A new account"}</bdi>,
      about: account ? "changes" : "typed",
      onClose: onCancel,
      inPage: true,
    },
    check: (data) => {
      const fields = row ? (["username", "email"] as const) : (["username", "email", "password"] as const);
      const missing = Object.fromEntries(
        fields.filter((name) => values[name].trim() === "").map((name) => [name, allRequired]),
      );
      return asksPassword && text(data, "current_password") === ""
        ? { ...missing, current_password: "Please enter your current password." }
        : missing;
    },
    submit: async (data) => {
      const password = { current_password: text(data, "current_password") };
      if (!row) return addAccount({ ...typed, ...password });
      return asksPassword ? changeAccount(row, { ...changes, ...password }) : row;
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
  return { ...state, ...edited, asksPassword };
}

/** A new account, or a row of the list while it is edited. */
export function AccountForm(props: Props) {
  const { account, ref } = props;
  const { busy, errors, message, form, close, question, values, set, stale, reload, asksPassword } =
    useAccountForm(props);
  useImperativeHandle(ref, () => ({ close }));
  return (
    <form
      {...form}
      aria-label={account ? `Edit ${account.username}` : "Add an account"}
      autoComplete="off"
      onKeyDown={(event) => event.key === "Escape" && close()}
      className="grid gap-4"
    >
      <StaleFormNotice what="account" stale={stale} onReload={reload} />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <AccountFields isNew={!account} values={values} set={set} errors={errors} />
        {asksPassword && <CurrentPassword isNew={!account} error={errors.current_password} />}
      </div>
      <FormMessage>{message}</FormMessage>
      <FormButtons onCancel={close} busy={busy}>
        {account ? "Save account" : "Add account"}
      </FormButtons>
      {question}
    </form>
  );
}

type FieldsProps = {
  isNew: boolean;
  values: ReturnType<typeof valuesOf>;
  set: (change: Partial<ReturnType<typeof valuesOf>>) => void;
  errors: Errors;
};

function AccountFields({ isNew, values, set, errors }: FieldsProps) {
  const shortest = useSite()?.password_min_length;
  return (
    <>
      <Field label="Username" error={errors.username}>
        <TextInput
          name="username"
          value={values.username}
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
        <EmailInput
          name="email"
          value={values.email}
          onChange={(event) => set({ email: event.target.value })}
          autoComplete="off"
          required
        />
      </Field>
      <Field
        label="Role"
        error={errors.role}
        hint="Owners also see admin accounts, settings, exports and the audit log."
      >
        <Select name="role" value={values.role} onChange={(event) => set({ role: event.target.value as Role })}>
          <option value="staff">Staff</option>
          <option value="owner">Owner</option>
        </Select>
      </Field>
      <Field
        label={isNew ? "Password" : "New password"}
        optional={!isNew}
        error={errors.password}
        hint={
          !isNew
            ? "Leave it empty to keep the current one. A new one signs the account out everywhere."
            : shortest
              ? `At least ${shortest} characters.`
              : undefined
        }
      >
        <PasswordInput
          name="password"
          value={values.password}
          onChange={(event) => set({ password: event.target.value })}
          maxLength={200}
          autoComplete="new-password"
          required={isNew}
        />
      </Field>
    </>
  );
}

const CurrentPassword = ({ isNew, error }: { isNew: boolean; error: string | undefined }) => (
  <Field
    label="Your current password"
    error={error}
    hint={isNew ? "Needed to add an account." : "Needed to change an account."}
  >
    <PasswordInput name="current_password" autoComplete="current-password" maxLength={200} required />
  </Field>
);
