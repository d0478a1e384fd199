import { useState } from "react";
import { required, text, useForm } from "../lib/forms";
import { Button } from "../ui/button";
import { EmailInput, FieldError, FormMessage } from "../ui/field";
import { subscribe } from "./queries";

/** The footer's mailing list. An address gets email only after its owner has confirmed it. */
export default function StayUpdated({ describedBy }: { describedBy: string }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { busy, errors, message, form } = useForm({
    check: required({ email: "Please enter your email." }),
    submit: async (data) => {
      const email = text(data, "email").trim();
      await subscribe(email);
      return email;
    },
    done: setSentTo,
  });

  if (sentTo) {
    return (
      <p role="status" tabIndex={-1} ref={takeFocus}>
        Almost there: tap the button in the email we sent to <bdi className="font-medium wrap-anywhere">{sentTo}</bdi>.
      </p>
    );
  }
  return (
    <form {...form} className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <EmailInput
          name="email"
          maxLength={320}
          placeholder="Your email address"
          aria-label="Your email address"
          aria-invalid={errors.email ? true : undefined}
          aria-describedby={errors.email ? `${describedBy}-error` : describedBy}
          required
          className="w-auto flex-[1_1_11rem]"
        />
        <Button type="submit" busy={busy} className="max-sm:grow">
          {busy ? "Sending..." : "Subscribe"}
        </Button>
      </div>
      {errors.email && <FieldError id={`${describedBy}-error`}>{errors.email}</FieldError>}
      <FormMessage>{message}</FormMessage>
    </form>
  );
}

/** Takes the focus, because the button that had it is gone. */
const takeFocus = (line: HTMLElement | null) => line?.focus();
