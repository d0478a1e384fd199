import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { explain } from "../../lib/forms";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Checkbox, FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { useIdempotencyKey } from "../shared/idempotency-key";
import { usePageForm } from "../shared/form";
import { MailTime, useQuietNow } from "../shared/quiet-time";
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

/** How many people get an email about an update posted now, and the author of the last one. */
function useReach(open: boolean, sendMail: boolean) {
  const client = useQueryClient();
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  const { recipients: reach, last_author } = useQuery({ ...reachQuery, refetchInterval, enabled: open }).data ?? {};
  const [changed, setChanged] = useState(false);

  /** Whether the number of people differs from the one that the form showed. The form then shows the new number. */
  async function check() {
    const now = sendMail && reach !== undefined ? await client.fetchQuery(reachQuery).catch(() => null) : null;
    const differs = now !== null && now.recipients !== reach;
    setChanged(differs);
    return differs;
  }
  return { reach, last_author, changed: changed && sendMail, check };
}

/**
 * Posts an update. It appears at once, and is emailed once or never. While collapsed, the form keeps what was typed.
 */
export function CreateForm({ open, onDone, onCancel }: Props) {
  const updatesChanged = useUpdatesChanged();
  const keyOf = useIdempotencyKey();
  const [typed, setTyped] = useState<Partial<FormValues>>({});
  const [sendMail, setSendMail] = useState(true);
  const { reach, last_author, ...recount } = useReach(open, sendMail);
  const quiet = useQuietNow();
  const [ticked, setTicked] = useState(false);
  const [asking, setAsking] = useState(false);
  const timeZone = useSite()?.timezone ?? "UTC";
  // Without emails, there is something to wait only in quiet time: the notifications.
  const mayBeUrgent = sendMail || Boolean(quiet);
  const urgent = mayBeUrgent && ticked;
  const test = useTestMail();
  const values: FormValues = { ...valuesOf(null, "UTC"), author: last_author ?? "", ...typed };

  async function post() {
    const update = newUpdateOf(values, sendMail, urgent);
    const posted = await createUpdate(keyOf(update), update);
    toast(postedToast(posted, timeZone));
    onDone();
    await updatesChanged();
  }

  const { busy, errors, message, form } = usePageForm({
    check: () => missing(values),
    submit: async () => {
      if (test.isTest()) {
        await testUpdate(testUpdateOf(values));
        test.sent();
      } else if (await recount.check()) return;
      else if (urgent) setAsking(true);
      else await post();
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
        {mayBeUrgent && (
          <Checkbox
            name="urgent"
            label="Urgent"
            hint={
              quiet
                ? `Emails and notifications do not wait for the end of quiet time (${quiet.name}).`
                : "Families who get one email a day get this one right away."
            }
            checked={ticked}
            onChange={(event) => setTicked(event.target.checked)}
          />
        )}
        {sendMail && <MailTime urgent={urgent} />}
        <FormMessage>
          {message ?? (recount.changed && `The number has changed: ${mailHint(reach, true)} Please post again.`)}
        </FormMessage>
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
      {asking && (
        <UrgentQuestion title={values.title} during={quiet?.name} onConfirm={post} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}

type QuestionProps = {
  title: string;
  /** The name of the current quiet time, while it lasts. */
  during: string | undefined;
  onConfirm: () => Promise<void>;
  onClose: () => void;
};

/** Asks a second time before an update goes out in quiet time and to families who get one email a day. */
const UrgentQuestion = ({ title, during, onConfirm, onClose }: QuestionProps) => (
  <ConfirmDialog
    title="Post it as urgent?"
    name={title.trim()}
    action="Post it now"
    onConfirm={onConfirm}
    failed={(error) => {
      toastFailure(error, "Failed to create live update.");
      return explain(error);
    }}
    onClose={onClose}
  >
    {during
      ? `It is quiet time (${during}). Emails and notifications go out right away.`
      : "Families who get one email a day get it right away."}
  </ConfirmDialog>
);
