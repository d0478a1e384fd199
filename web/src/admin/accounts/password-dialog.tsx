import type { ReactNode } from "react";
import { required, text, useForm } from "../../lib/forms";
import { Button, type ButtonLook } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FormMessage } from "../../ui/field";
import { OwnPasswordField } from "../shared/own-password-field";
import { requiresSignIn } from "../shared/session";

type Props = {
  title: string;
  /** What people call the account. */
  name: ReactNode;
  children: ReactNode;
  action: string;
  /** Red, unless nothing is lost. */
  look?: ButtonLook;
  onConfirm: (password: string) => Promise<unknown>;
  onClose: () => void;
};

/**
 * Asks for the signed-in owner's own password before another account changes, because an unattended page must not be
 * enough.
 */
export function PasswordDialog({ title, name, children, action, look = "danger", onConfirm, onClose }: Props) {
  const { busy, errors, message, form } = useForm({
    check: required({ current_password: "Please enter your current password." }),
    submit: (data) => onConfirm(text(data, "current_password")),
    done: onClose,
    failed: (error) => requiresSignIn(error),
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form {...form} className="grid gap-4">
        <div dir="auto" className="rounded-md bg-sunk px-4 py-3 font-medium">
          {name}
        </div>
        <p className="text-muted">{children}</p>
        <OwnPasswordField label="Your current password" error={errors.current_password} />
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look={look} busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
