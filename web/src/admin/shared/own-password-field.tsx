import { Field, PasswordInput } from "../../ui/field";
import { focusOnMount } from "../../ui/focus";
import { useStaff } from "./session";

type Props = { label?: string; error: string | undefined };

/**
 * Asks the signed-in person for their password, because an unattended page must not be enough for this action. The
 * hidden username tells password managers which password to offer.
 */
export function OwnPasswordField({ label = "Your password", error }: Props) {
  const username = useStaff()?.username;
  return (
    <>
      <input type="text" name="username" autoComplete="username" defaultValue={username} hidden readOnly />
      <Field label={label} error={error}>
        <PasswordInput
          name="current_password"
          autoComplete="current-password"
          maxLength={200}
          ref={focusOnMount}
          required
        />
      </Field>
    </>
  );
}
