import { Field, PasswordInput } from "../../ui/field";
import { focusOnMount } from "../../ui/focus";
import { useStaff } from "./session";

type Props = { label?: string; error: string | undefined };

/**
 * Asks whoever is signed in for their password: an unattended page must not be enough for what it confirms. The hidden
 * user name tells password managers which password it is.
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
