import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { StaleFormNotice, useFormValues, useStaffForm } from "../shared/form";
import { changesOf, valuesOf, missing } from "./form-values";
import { editUpdate, readUpdate, useUpdatesChanged, type AdminUpdate } from "./queries";
import { UpdateFields } from "./update-fields";

type Props = { update: AdminUpdate; timeZone: string; onClose: () => void };

/** Corrects an update. Nobody gets a second email. */
export function EditUpdate({ update, timeZone, onClose }: Props) {
  const updatesChanged = useUpdatesChanged();
  const edited = useFormValues({
    opened: update,
    valuesOf: (one) => valuesOf(one, timeZone),
    read: readUpdate,
    onGone: updatesChanged,
  });

  const { row, values, base, set, dirty, stale, reload } = edited;
  const { queued = 0, collected = 0, sent = 0 } = update.deliveries ?? {};
  const waits = update.announced && sent === 0 && queued + collected > 0;
  const mailed = update.announced && sent + queued + collected > 0;
  const { busy, errors, message, form, close, question } = useStaffForm({
    values: edited,
    leave: { name: update.title, about: "changes", onClose },
    check: () => missing(values),
    submit: async () => {
      if (dirty) await editUpdate(update.id, { version: row.version, ...changesOf(values, base) });
    },
    done: async () => {
      toast({
        title: "Update Saved",
        description: waits
          ? "Families see it as it is now. The emails that wait have the new text."
          : "Families see it as it is now. No more emails were sent.",
      });
      onClose();
      await updatesChanged();
    },
    failed: (error) => toastFailure(error, "Failed to update the live update."),
  });

  return (
    <Drawer title="Edit update" onClose={close}>
      <form {...form} className="grid gap-5">
        <StaleFormNotice what="update" stale={stale} onReload={reload} />
        <UpdateFields
          values={values}
          pinnedUntil={base.pin === "keep" ? row.pinned_until : null}
          set={set}
          errors={errors}
          focus
        />
        <p className="rounded-md bg-sunk px-3.5 py-2.5 text-sm text-muted">
          {waits
            ? "Its emails still wait, and will have what you save."
            : `${mailed ? "Families were emailed when it was posted. " : ""}Saving does not send any emails.`}
        </p>
        <FormMessage>{message}</FormMessage>
        <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap justify-end gap-3 border-t border-line bg-paper px-5 py-3">
          <Button look="line" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" busy={busy}>
            {busy ? "Saving..." : "Save update"}
          </Button>
        </div>
      </form>
      {question}
    </Drawer>
  );
}
