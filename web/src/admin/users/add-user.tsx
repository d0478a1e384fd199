import { useEffect, useRef, useState } from "react";
import { explain, text } from "../../lib/forms";
import { Button } from "../../ui/button";
import { EmailInput, Field, FormMessage, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { usePageForm } from "../shared/form";
import { addFamily, useUsersChanged } from "./queries";

export const allRequired = "All fields are required";
const fields = ["full_name", "email", "child_name"];

/**
 * Adds a family by hand. It gets the default plan and an invitation. While collapsed, the form keeps what was typed.
 */
export function AddUser({ open, onClose }: { open: boolean; onClose: () => void }) {
  const usersChanged = useUsersChanged();
  const first = useRef<HTMLInputElement>(null);
  const [adding, setAdding] = useState(0);

  useEffect(() => {
    if (open) first.current?.focus();
  }, [open]);

  const { busy, errors, message, form } = usePageForm({
    check: (data) =>
      Object.fromEntries(fields.filter((name) => text(data, name).trim() === "").map((name) => [name, allRequired])),
    submit: (data) =>
      addFamily({
        full_name: text(data, "full_name").trim(),
        email: text(data, "email").trim(),
        child_name: text(data, "child_name").trim(),
      }),
    done: async (family) => {
      toast({
        title: "User Added Successfully",
        description: `User added successfully with payment plan. ${family.full_name} can now sign up with ${family.email}; the invitation is on its way.`,
      });
      setAdding(adding + 1);
      onClose();
      await usersChanged();
    },
    failed: (error) => toast({ title: "Failed to add user", description: explain(error), destructive: true }),
  });

  return (
    <section aria-labelledby="add-user" hidden={!open} className="sheet mb-6 p-5 shadow-low sm:p-6">
      <h2 id="add-user" className="mb-4 text-xl">
        New user
      </h2>
      <form key={adding} {...form} className="grid gap-5">
        <div className="grid items-start gap-4 lg:grid-cols-3">
          <Field label="Parent Name" error={errors.full_name}>
            <TextInput ref={first} name="full_name" dir="auto" maxLength={120} autoComplete="off" required />
          </Field>
          <Field label="Email Address" error={errors.email}>
            <EmailInput name="email" autoComplete="off" required />
          </Field>
          <Field label="Child Name" error={errors.child_name} hint="All children of the family.">
            <TextInput name="child_name" dir="auto" maxLength={200} autoComplete="off" required />
          </Field>
        </div>
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap justify-end gap-3 max-sm:flex-col-reverse">
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Adding..." : "Add user and send invitation"}
          </Button>
        </div>
      </form>
    </section>
  );
}
