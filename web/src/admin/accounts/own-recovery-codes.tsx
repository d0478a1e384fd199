import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { required, text, useForm } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { CodeInput, Field, FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { OwnPasswordField } from "../shared/own-password-field";
import { requiresSignIn } from "../shared/session";
import { RecoveryCodes } from "../shared/two-factor";
import { renewRecoveryCodes, twoFactorQuery } from "./queries";

/** Replaces the signed-in staff member's own recovery codes. Two-factor stays on. */
export function OwnRecoveryCodes({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[] | null>(null);
  const { busy, errors, message, form } = useForm({
    check: required({
      current_password: "Please enter your password.",
      code: "Please enter the code from your authenticator app.",
    }),
    submit: (data) =>
      renewRecoveryCodes({
        current_password: text(data, "current_password"),
        code: text(data, "code").replace(/\s/g, ""),
      }),
    done: ({ recovery_codes }) => setCodes(recovery_codes),
    failed: (error) => requiresSignIn(error),
  });

  if (codes) {
    return (
      <Dialog
        title="Your new recovery codes"
        onClose={() =>
          toast({ title: "Please save your recovery codes first", description: "You can only see them now." })
        }
      >
        <RecoveryCodes
          codes={codes}
          onDone={async () => {
            await client.invalidateQueries({ queryKey: twoFactorQuery.queryKey });
            toast({ title: "New recovery codes", description: "The earlier ones no longer work." });
            onClose();
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog title="New recovery codes" onClose={onClose}>
      <form {...form} className="grid gap-4">
        <p className="text-muted">
          You get ten new codes, and the earlier ones stop working at once. Two-factor stays on.
        </p>
        <OwnPasswordField error={errors.current_password} />
        <Field label="Code" error={errors.code} hint="From your authenticator app. It changes every 30 seconds.">
          <CodeInput />
        </Field>
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Checking..." : "Make new codes"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
