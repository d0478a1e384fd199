import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button";
import { FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { usePageForm } from "../shared/form";
import { draftOf, missing, newUpdateOf, postLabel, postedToast, type Draft } from "./draft";
import { createUpdate, reachQuery, useUpdatesChanged } from "./queries";
import { UpdateFields } from "./update-fields";

type Props = { open: boolean; onDone: () => void; onCancel: () => void };

/** Posts an update. It is shown at once, and mailed once. Collapsed it keeps what was typed. */
export function CreateForm({ open, onDone, onCancel }: Props) {
  const updatesChanged = useUpdatesChanged();
  const keyOf = useIdempotencyKey();
  const reach = useQuery({ ...reachQuery, refetchInterval: useRefetchInterval(everyFifteenSeconds), enabled: open })
    .data?.recipients;
  const [draft, setDraft] = useState<Draft>(() => draftOf(null, "UTC"));

  const { busy, errors, message, form } = usePageForm({
    check: () => missing(draft),
    submit: () => {
      const update = newUpdateOf(draft);
      return createUpdate(keyOf(update), update);
    },
    done: async ({ notified }) => {
      toast(postedToast(notified));
      onDone();
      await updatesChanged();
    },
    failed: (error) => toastFailure(error, "Failed to create live update."),
  });

  return (
    <section aria-labelledby="create" hidden={!open} className="sheet mb-6 p-5 shadow-low sm:p-6">
      <h2 id="create" className="mb-4 text-xl">
        New update
      </h2>
      <form {...form} className="grid gap-5">
        <UpdateFields
          draft={draft}
          set={(change) => setDraft((now) => ({ ...now, ...change }))}
          errors={errors}
          focus={open}
        />
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap items-center justify-end gap-3 max-sm:flex-col-reverse max-sm:items-stretch">
          {reach === 0 && <p className="text-sm text-muted sm:me-auto">It appears on the site. Nobody is mailed.</p>}
          <Button look="line" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" icon="horn" busy={busy}>
            {busy ? "Posting..." : postLabel(reach)}
          </Button>
        </div>
      </form>
    </section>
  );
}
