import { useQueryClient } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { required, text } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, FormMessage, PasswordInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { useStaffForm } from "../shared/form";
import { OwnPasswordField } from "../shared/own-password-field";
import { changeOwnPassword, everyAccount, sessionsOf } from "./queries";

/** Changes the signed-in staff member's own password. */
export function OwnPassword({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const shortest = useSite()?.password_min_length;
  const { busy, errors, message, form, close, question } = useStaffForm({
    leave: { name: "A new password", onClose },
    check: required({ current_password: "Please enter your password.", new_password: "Please enter a new password." }),
    submit: (data) =>
      changeOwnPassword({ current_password: text(data, "current_password"), new_password: text(data, "new_password") }),
    done: async () => {
      onClose();
      toast({ title: "Password changed", description: "All other devices are signed out." });
      await Promise.all(
        [everyAccount, sessionsOf().queryKey].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
  return (
    <Dialog title="Change your password" onClose={close}>
      <form {...form} className="grid gap-4">
        <p className="text-muted">You stay signed in here. All your other devices are signed out.</p>
        <OwnPasswordField label="Current password" error={errors["current_password"]} />
        <Field
          label="New password"
          error={errors["new_password"]}
          hint={shortest ? `At least ${shortest} characters.` : undefined}
        >
          <PasswordInput name="new_password" autoComplete="new-password" maxLength={128} required />
        </Field>
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3">
          <Button look="line" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Saving..." : "Change password"}
          </Button>
        </div>
      </form>
      {question}
    </Dialog>
  );
}
