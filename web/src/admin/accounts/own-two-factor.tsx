import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { Staff } from "../../api/client";
import { required, text, useForm } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { OwnPasswordField } from "../shared/own-password-field";
import { requiresSignIn, staffQuery } from "../shared/session";
import { TwoFactorSetup } from "../shared/two-factor";
import { endTwoFactor, everyAccount } from "./queries";

/** Sets up or removes the signed-in staff member's own authenticator app. */
export function OwnTwoFactor({ staff, onClose }: { staff: Staff; onClose: () => void }) {
  const client = useQueryClient();
  // Keeps the state from when the dialog opened, because the session changes while the recovery codes are still shown.
  const [wasOn] = useState(staff.two_factor);
  const [codesOnShow, setCodesOnShow] = useState(false);
  const changed = () =>
    Promise.all([staffQuery.queryKey, everyAccount].map((queryKey) => client.invalidateQueries({ queryKey })));
  if (wasOn) {
    return (
      <Dialog title="Two-factor is on" onClose={onClose}>
        <TurnOff
          staff={staff}
          onCancel={onClose}
          onDone={async () => {
            toast({
              title: "Two-factor turned off",
              description: "You now sign in with just your password. All other devices are signed out.",
            });
            onClose();
            await changed();
          }}
        />
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Set up two-factor"
      onClose={() => {
        if (codesOnShow)
          toast({ title: "Please save your recovery codes first", description: "You can only see them now." });
        else onClose();
      }}
    >
      <TwoFactorSetup
        onCodes={() => setCodesOnShow(true)}
        onDone={() => {
          onClose();
          void changed();
        }}
      />
    </Dialog>
  );
}

function TurnOff({ staff, onDone, onCancel }: { staff: Staff; onDone: () => Promise<void>; onCancel: () => void }) {
  const { busy, errors, message, form } = useForm({
    check: required({ current_password: "Please enter your password." }),
    submit: (data) => endTwoFactor(text(data, "current_password")),
    done: onDone,
    failed: (error) => requiresSignIn(error),
  });
  if (staff.two_factor_required) {
    return (
      <p className="text-muted">
        You sign in with a code from your authenticator app. The camp requires it, so you can’t turn it off. If you lose
        your phone, whoever runs the site can reset it.
      </p>
    );
  }
  return (
    <form {...form} className="grid gap-4">
      <p className="text-muted">
        You sign in with your password and a code from your authenticator app. To turn that off, enter your password.
        That signs out all other devices.
      </p>
      <OwnPasswordField label="Password" error={errors.current_password} />
      <FormMessage>{message}</FormMessage>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={onCancel}>
          Keep it on
        </Button>
        <Button type="submit" look="danger" busy={busy}>
          {busy ? "Turning off..." : "Turn off two-factor"}
        </Button>
      </div>
    </form>
  );
}
