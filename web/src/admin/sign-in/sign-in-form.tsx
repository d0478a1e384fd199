import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { api, ApiError, isApiError, send, type Staff } from "../../api/client";
import { requireCookies } from "../../lib/cookies";
import { required, text, useForm } from "../../lib/forms";
import { Button } from "../../ui/button";
import { CodeInput, Field, FormMessage, PasswordInput, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { mustSetUpTwoFactor, staffQuery, useStaffChanged } from "../shared/session";
import { focusOnMount } from "../../ui/focus";

type Props = { username?: string | undefined; onSignedIn?: (staff: Staff) => void };

/** Asks for the username and password, and for a code once the server wants one. */
export function SignInForm({ username, onSignedIn }: Props) {
  const client = useQueryClient();
  const staffChanged = useStaffChanged();
  const [wantsCode, setWantsCode] = useState(false);

  const { busy, errors, message, form } = useForm({
    check: required({
      username: "Please enter your username.",
      password: "Please enter your password.",
      ...(wantsCode ? { code: "Please enter the code from your authenticator app." } : {}),
    }),
    submit: async (data) => {
      requireCookies();
      const code = text(data, "code").trim();
      const body = {
        username: text(data, "username").trim(),
        password: text(data, "password"),
        ...(code ? { code } : {}),
      };
      try {
        return await send(api.POST("/api/admin/auth/sign-in", { body }));
      } catch (error) {
        // The message about a wrong code belongs beside its field. A wrong password has another message.
        if (code && isApiError(error, "invalid_credentials") && /code/i.test(error.message)) {
          throw new ApiError({
            code: error.code,
            status: error.status,
            detail: error.message,
            errors: [{ field: "code", message: error.message }],
          });
        }
        throw error;
      }
    },
    done: async ({ staff }) => {
      if (!staff) return;
      if (!mustSetUpTwoFactor(staff)) toast({ title: "Login Successful", description: `Welcome ${staff.username}!` });
      onSignedIn?.(staff);
      await staffChanged(staff);
      await client.invalidateQueries({ queryKey: staffQuery.queryKey });
    },
    failed: (error) => {
      if (!isApiError(error, "second_factor_required") || wantsCode) return false;
      setWantsCode(true);
      return true;
    },
  });

  return (
    <form {...form} method="post" className="grid gap-4">
      <Field label="Username" error={errors.username}>
        <TextInput
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          defaultValue={username}
          {...(username ? {} : { ref: focusOnMount })}
          required
        />
      </Field>
      <Field label="Password" error={errors.password}>
        <PasswordInput
          name="password"
          autoComplete="current-password"
          maxLength={128}
          {...(username ? { ref: focusOnMount } : {})}
          required
        />
      </Field>
      {wantsCode && (
        <Field
          label="Code"
          error={errors.code}
          hint="Six digits from your authenticator app, or one of your recovery codes."
        >
          <CodeInput inputMode="text" autoCapitalize="none" spellCheck={false} maxLength={40} ref={focusOnMount} />
        </Field>
      )}
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy}>
        {busy ? "Signing In..." : "Sign In"}
      </Button>
    </form>
  );
}
