import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../ui/button";
import { Checkbox, FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { usePageForm } from "../shared/form";
import { TestMailButton, useTestMail } from "../shared/send-test";
import {
  valuesOf,
  mailHint,
  missing,
  newUpdateOf,
  postLabel,
  postedToast,
  testUpdateOf,
  type FormValues,
} from "./form-values";
import { createUpdate, reachQuery, testUpdate, useUpdatesChanged } from "./queries";
import { UpdateFields } from "./update-fields";

type Props = { open: boolean; onDone: () => void; onCancel: () => void };

/** Posts an update. It is shown at once, and mailed once or never. Collapsed it keeps what was typed. */
export function CreateForm({ open, onDone, onCancel }: Props) {
  const updatesChanged = useUpdatesChanged();
  const keyOf = useIdempotencyKey();
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  const { recipients: reach, last_author } = useQuery({ ...reachQuery, refetchInterval, enabled: open }).data ?? {};
  const [typed, setTyped] = useState<Partial<FormValues>>({});
  const [sendMail, setSendMail] = useState(true);
  const test = useTestMail();
  const values: FormValues = { ...valuesOf(null, "UTC"), author: last_author ?? "", ...typed };

  const { busy, errors, message, form } = usePageForm({
    check: () => missing(values),
    submit: async () => {
      if (test.isTest()) return void (await testUpdate(testUpdateOf(values)));
      const update = newUpdateOf(values, sendMail);
      return createUpdate(keyOf(update), update);
    },
    done: async (posted) => {
      if (!posted) return test.sent();
      toast(postedToast(posted.notified));
      onDone();
      await updatesChanged();
    },
    failed: (error) =>
      toastFailure(error, test.isTest() ? "Failed to send the test." : "Failed to create live update."),
  });

  return (
    <section aria-labelledby="create" hidden={!open} className="sheet mb-6 p-5 shadow-low sm:p-6">
      <h2 id="create" className="mb-4 text-xl">
        New update
      </h2>
      <form {...form} className="grid gap-5">
        <UpdateFields
          values={values}
          set={(change) => setTyped((now) => ({ ...now, ...change }))}
          errors={errors}
          focus={open}
        >
          <Checkbox
            name="send_mail"
            label="Send it by email"
            hint={mailHint(reach, sendMail)}
            checked={sendMail}
            onChange={(event) => setSendMail(event.target.checked)}
            className="sm:pt-7"
          />
        </UpdateFields>
        <FormMessage>{message}</FormMessage>
        <div className="flex flex-wrap items-center justify-end gap-3 max-sm:flex-col-reverse max-sm:items-stretch">
          <TestMailButton busy={busy} test={test} className="sm:me-auto" />
          <Button look="line" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" icon="horn" busy={busy} onClick={test.onSubmitClick}>
            {busy && !test.testing ? "Posting..." : postLabel(reach, sendMail)}
          </Button>
        </div>
      </form>
    </section>
  );
}
