import { useState } from "react";
import { required, text, useForm } from "../lib/forms";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button } from "../ui/button";
import { EmailInput, Field, FormMessage } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { forgotPassword } from "./queries";
import { readUnsentAccount } from "./unsent-account";
import "../ui/more-icons";

export default function Forgot() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { busy, errors, message, form } = useForm({
    check: required({ email: "Please enter your email." }),
    submit: async (data) => {
      const email = text(data, "email").trim();
      await forgotPassword(email);
      return email;
    },
    done: setSentTo,
  });

  return (
    <SmallSheet title={sentTo ? "Check your email" : "Forgot your password?"}>
      <PageMeta title="Forgot your password?" description="Get a link to choose a new password." />
      {sentTo ? (
        <p role="status">
          If{" "}
          <b className="font-medium">
            <bdi>{sentTo}</bdi>
          </b>{" "}
          has an account, a link to choose a new password is on its way.
        </p>
      ) : (
        <form {...form} className="grid gap-4">
          <p className="text-muted">We’ll email you a link to choose a new one.</p>
          <Field label="Email" error={errors.email}>
            <EmailInput name="email" maxLength={320} defaultValue={readUnsentAccount().email} required />
          </Field>
          <FormMessage>{message}</FormMessage>
          <Button type="submit" busy={busy}>
            {busy ? "Sending..." : "Send the link"}
          </Button>
        </form>
      )}
      <Link to={paths.auth()} className="link inline-flex min-h-tap items-center justify-self-start text-sm">
        Back to sign in
      </Link>
    </SmallSheet>
  );
}
