import { useState } from "react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { useFilters } from "../../lib/filters";
import { explain, useForm } from "../../lib/forms";
import { number } from "../../lib/format";
import { ago, campDateTime } from "../../lib/moments";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { directionOf } from "../../ui/direction";
import { Field, FieldError, FormMessage, Select, TextArea, TextInput } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { LinkedText } from "../../ui/linked-text";
import { OwnLines } from "../../ui/own-lines";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { Listing } from "../shared/listing";
import { mailsWait, MailTime, useQuietNow } from "../shared/quiet-time";
import { TestMailButton, useTestMail } from "../shared/send-test";
import { requiresSignIn } from "../shared/session";
import { deliverySummary, people, sentAgain } from "../shared/words";
import { useUnsentLetter } from "./unsent-letter";
import {
  audiences,
  letterReachQuery,
  lettersQuery,
  retryLetter,
  sendLetter,
  testLetter,
  type Audience,
  type Letter,
} from "./queries";
import { audienceName, letterLabel, paragraphs } from "./words";

export function Letters() {
  return (
    <div className="grid gap-8">
      <Compose />
      <SentLetters />
    </div>
  );
}

const explained: Record<Audience, string> = {
  families: "Those who want newsletters",
  mailing_list: "People who signed up at the bottom of the site",
  both: "No one gets it twice",
};

/** Sends the newsletter that is being written: as a test to the writer, or to its readers after a question. */
function useSending({ letter, clear, renewKey }: ReturnType<typeof useUnsentLetter>) {
  const { subject, body, audience, key } = letter;
  const client = useQueryClient();
  const timeZone = useSite()?.timezone ?? "UTC";
  const [asking, setAsking] = useState(false);
  const reach = useReach();
  const recipients = reach[audience];
  const test = useTestMail();
  const texts = { subject: subject.trim(), body: body.trim() };

  const form = useForm({
    check: () => ({
      ...(texts.subject ? {} : { subject: "Please enter a subject." }),
      ...(texts.body ? {} : { body: "Please write the newsletter first." }),
      ...(recipients === 0 && !test.isTest() ? { audience: "No one would get this newsletter." } : {}),
    }),
    submit: async () => {
      if (!test.isTest()) return setAsking(true);
      await testLetter(texts);
      test.sent();
    },
    failed: (error) => {
      toastFailure(error, "Failed to send the test.");
      return requiresSignIn(error);
    },
  });

  async function send() {
    const { recipients: told, mail_at } = await sendLetter({ ...texts, audience, preview: false }, key);
    const later = mailsWait(mail_at, timeZone);
    toast(
      later
        ? { title: "Newsletter Queued", description: `${people(told)} will get it. ${later}` }
        : { title: "Newsletter Sent", description: `It is on its way to ${people(told)}.` },
    );
    clear();
    await client.invalidateQueries({ queryKey: ["admin", "letters"] });
  }

  function refused(error: unknown) {
    // An earlier text may have been sent although its response was lost. The list shows it.
    if (isApiError(error, "conflict")) {
      renewKey();
      void client.invalidateQueries({ queryKey: ["admin", "letters"] });
    }
    toastFailure(error, "Failed to send the newsletter.");
    return explain(error);
  }
  return { ...form, reach, recipients, test, send, refused, asking, setAsking };
}

/**
 * Writes a newsletter. It goes to many people and cannot be recalled, so the form shows a preview and the number of
 * recipients.
 */
function Compose() {
  const letter = useUnsentLetter();
  const {
    letter: { subject, body, audience },
    change,
  } = letter;
  const { form, busy, errors, message, reach, recipients, test, send, refused, asking, setAsking } = useSending(letter);
  const quiet = useQuietNow();

  return (
    <section aria-labelledby="write" className="sheet p-5 shadow-low sm:p-6">
      <h2 id="write" className="text-xl">
        Write a newsletter
      </h2>
      <form {...form} className="mt-4 grid gap-6 lg:grid-cols-2">
        <div className="grid content-start gap-5">
          <AudienceField
            audience={audience}
            reach={reach}
            error={errors["audience"]}
            onChoose={(next) => change({ audience: next })}
          />
          <Field label="Subject" error={errors["subject"]}>
            <TextInput
              name="subject"
              dir="auto"
              maxLength={200}
              autoComplete="off"
              value={subject}
              onChange={(event) => change({ subject: event.target.value })}
              required
            />
          </Field>
          <Field
            label="Newsletter"
            error={errors["body"]}
            hint="Leave an empty line between paragraphs. Web addresses (https://…) become links."
          >
            <TextArea
              name="body"
              dir="auto"
              rows={10}
              maxLength={20_000}
              value={body}
              onChange={(event) => change({ body: event.target.value })}
              required
            />
          </Field>
        </div>
        <Preview subject={subject} body={body} />
        <div className="grid gap-4 lg:col-span-2">
          <MailTime />
          <FormMessage>{message}</FormMessage>
          <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
            {(subject || body) && (
              <p className="me-auto text-sm text-muted">This tab keeps it until you send it or sign out.</p>
            )}
            <TestMailButton busy={busy} test={test} className="max-sm:w-full" />
            <Button type="submit" icon="mail" busy={busy} onClick={test.onSubmitClick} className="max-sm:w-full">
              {letterLabel(recipients)}
            </Button>
          </div>
        </div>
      </form>
      {asking && (
        <ConfirmDialog
          title={letterLabel(recipients) + "?"}
          name={subject.trim()}
          action="Send newsletter"
          onConfirm={send}
          failed={refused}
          onClose={() => setAsking(false)}
        >
          To: {audienceName[audience].toLowerCase()}.{" "}
          {quiet
            ? `It is quiet time (${quiet.name}): it goes out afterwards. It can’t be called back.`
            : "It goes out right away and can’t be called back."}
        </ConfirmDialog>
      )}
    </section>
  );
}

type Reach = Record<Audience, number | undefined>;

/** How many people are in each audience. */
function useReach(): Reach {
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  return {
    families: useQuery({ ...letterReachQuery("families"), refetchInterval }).data,
    mailing_list: useQuery({ ...letterReachQuery("mailing_list"), refetchInterval }).data,
    both: useQuery({ ...letterReachQuery("both"), refetchInterval }).data,
  };
}

type AudienceProps = {
  audience: Audience;
  reach: Reach;
  error: string | undefined;
  onChoose: (audience: Audience) => void;
};

const AudienceField = ({ audience, reach, error, onChoose }: AudienceProps) => (
  <fieldset className="grid gap-2">
    <legend className="mb-1.5 text-sm font-medium">To</legend>
    {audiences.map((one) => (
      <label
        key={one}
        className="flex min-h-tap cursor-pointer items-center gap-3 rounded-md border border-line px-3.5 py-2 has-checked:border-pine has-checked:bg-pine-wash"
      >
        <input
          type="radio"
          name="audience"
          value={one}
          checked={audience === one}
          onChange={() => onChoose(one)}
          className="size-5 shrink-0"
        />
        <span className="min-w-0 leading-tight">
          {audienceName[one]}
          <span className="block text-xs text-muted">{explained[one]}</span>
        </span>
        <span className="ms-auto text-sm whitespace-nowrap text-muted tabular-nums">
          {reach[one] === undefined ? "" : people(reach[one])}
        </span>
      </label>
    ))}
    {error && <FieldError>{error}</FieldError>}
  </fieldset>
);

/** The newsletter as its readers see it. */
function Preview({ subject, body }: { subject: string; body: string }) {
  const site = useSite();
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col">
      <p className="mb-1.5 text-sm font-medium">Preview</p>
      <div className="flex-1 rounded-md border border-line bg-paper p-5">
        <p className="font-head text-sm text-pine">
          <bdi>{site?.site_name}</bdi>
        </p>
        <p dir={directionOf(subject)} className="mt-3 font-head text-xl wrap-anywhere">
          {subject.trim() || <span className="text-muted">Subject</span>}
        </p>
        <div className="mt-3 grid gap-3">
          {body.trim() ? (
            paragraphs(body).map((text, i) => (
              <p key={i} className="wrap-anywhere">
                <OwnLines text={text}>{(lines) => <LinkedText text={lines} />}</OwnLines>
              </p>
            ))
          ) : (
            <p className="text-muted">The newsletter appears here as you type.</p>
          )}
        </div>
      </div>
    </section>
  );
}

function SentLetters() {
  const slowly = useRefetchInterval(everyFifteenSeconds);
  const filters = useFilters();
  const asked = filters.params.get("to");
  const audience = audiences.find((one) => one === asked) ?? null;
  const letters = useInfiniteQuery({
    ...lettersQuery(audience),
    // Polls faster while emails are being sent.
    refetchInterval: ({ state }) =>
      slowly && state.data?.pages.some(({ items }) => items.some(({ deliveries }) => deliveries.queued > 0))
        ? 4_000
        : slowly,
  });
  return (
    <section aria-labelledby="sent">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="sent" className="text-xl">
          Sent newsletters
        </h2>
        <div className="max-sm:w-full sm:w-64">
          <Select
            aria-label="Sent to"
            value={audience ?? ""}
            onChange={({ target }) => filters.set({ to: target.value })}
          >
            <option value="">To anybody</option>
            {audiences.map((one) => (
              <option key={one} value={one}>
                {audienceName[one]}
              </option>
            ))}
          </Select>
        </div>
      </div>
      <Listing
        list={letters}
        what="newsletters"
        failed="Failed to load newsletters"
        skeleton={
          <Loading label="Loading newsletters" className="sheet overflow-clip">
            {Array.from({ length: 3 }, (_, i) => (
              <div key={i} className="grid gap-2.5 border-line p-4 not-first:border-t">
                <Skeleton className="h-5 w-2/5" />
                <Skeleton className="w-3/5" />
              </div>
            ))}
          </Loading>
        }
        empty={
          audience ? (
            <EmptyState title="No newsletters found">
              <Button look="line" onClick={() => filters.set({ to: "" })}>
                Show all newsletters
              </Button>
            </EmptyState>
          ) : (
            <EmptyState
              title="No newsletters sent yet"
              text="A newsletter is emailed to families, to the mailing list, or both."
            />
          )
        }
      >
        {(all) => (
          <ul className="sheet overflow-clip">
            {all.map((letter) => (
              <SentLetter key={letter.id} letter={letter} now={letters.dataUpdatedAt} />
            ))}
          </ul>
        )}
      </Listing>
    </section>
  );
}

function SentLetter({ letter, now }: { letter: Letter; now: number }) {
  const client = useQueryClient();
  const timeZone = useSite()?.timezone ?? "UTC";
  const { deliveries } = letter;
  const retry = useAction({
    mutationFn: () => retryLetter(letter.id),
    onSuccess: async ({ queued }) => {
      await client.invalidateQueries({ queryKey: ["admin", "letters"] });
      toast({
        title: "Success",
        description: sentAgain(queued),
      });
    },
    onError: (error) => toastFailure(error, "The emails could not be sent again."),
  });
  return (
    <li className="border-line not-first:border-t">
      <details className="group">
        <summary className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 p-4 hover:bg-sunk focus-visible:-outline-offset-3">
          <h3 className="font-sans text-base font-medium">
            <bdi dir={directionOf(letter.subject)}>{letter.subject}</bdi>
          </h3>
          <Icon name="down" className="text-muted transition-[rotate] group-open:rotate-180" />
          <p className="col-span-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
            <Badge>{audienceName[letter.audience]}</Badge>
            <time dateTime={letter.created_at} title={campDateTime(letter.created_at, timeZone)}>
              {ago(letter.created_at, timeZone, new Date(Math.max(now, Date.parse(letter.created_at))))}
            </time>
            {letter.sent_by && (
              <span>
                by <bdi>{letter.sent_by}</bdi>
              </span>
            )}
            <span className="inline-flex items-center gap-1.5 tabular-nums">
              <Icon name="mail" />
              {deliverySummary(deliveries)}
            </span>
          </p>
        </summary>
        <div className="grid max-w-[70ch] gap-3 px-4 pb-4">
          {paragraphs(letter.body).map((text, i) => (
            <p key={i}>
              <OwnLines text={text}>{(lines) => <LinkedText text={lines} />}</OwnLines>
            </p>
          ))}
        </div>
      </details>
      {deliveries.failed > 0 && (
        <div className="px-4 pb-4">
          <Button look="line" icon="refresh" busy={retry.isPending} onClick={() => retry.mutate()}>
            {retry.isPending ? "Retrying..." : `Retry ${number(deliveries.failed)} failed`}
          </Button>
        </div>
      )}
    </li>
  );
}
