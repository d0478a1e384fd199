import { useState } from "react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { explain } from "../../lib/forms";
import { count } from "../../lib/format";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { FormMessage } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { mergeFamilies, useUsersChanged, type Family, type Merged, type MergedTotal } from "./queries";
import { addressOf, listed, mailKinds, nameOf } from "./words";

type Mail = Merged["mail"][number];

type Props = { one: Family; other: Family; currency: string; onBack: () => void; onMerged: (kept: string) => void };

/** Shows the result of a merge before it is done. Either family can be the one that is kept. */
export function MergePreview({ one, other, currency, onBack, onMerged }: Props) {
  const [turned, setTurned] = useState(false);
  const [keep, drop] = turned ? [other, one] : [one, other];
  const { preview, choice, choose, busy, failure, merge } = useMerge(keep, drop, onMerged);
  const totals = preview.data?.totals;
  const mails = preview.data?.mail ?? [];
  const kept = mails.filter(({ email }) => preview.data?.emails.includes(email));
  const leftOut = mails.filter((mail) => !kept.includes(mail));

  return (
    <div className="grid gap-4">
      <dl className="grid gap-3 sm:grid-cols-2">
        <Side label="Stays" family={keep} />
        <Side label="Becomes part of it" family={drop} />
      </dl>
      <div className="flex flex-wrap gap-x-4">
        <Button look="quiet" icon="refresh" onClick={() => setTurned(!turned)} className="-ms-2.5">
          Keep the other one instead
        </Button>
        <Button look="quiet" onClick={onBack} className="-ms-2.5">
          Choose somebody else
        </Button>
      </div>
      <Outcome preview={preview} kept={kept} leftOut={leftOut} currency={currency} />
      {totals && (
        <TotalChoice
          options={[
            { value: keep.id, name: nameOf(keep), cents: totals.keep },
            { value: drop.id, name: nameOf(drop), cents: totals.drop },
            { value: "sum", name: "Both together", cents: totals.keep + totals.drop },
          ]}
          currency={currency}
          chosen={choice}
          onChoose={choose}
        />
      )}
      {kept.some((mail) => lost(mail).length > 0) && <LostMail family={keep} />}
      <p className="text-sm text-muted">
        Email opt-outs are kept. No one is emailed about the merge. It is recorded in the audit log and can’t be undone.
      </p>
      <FormMessage>{failure}</FormMessage>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={onBack}>
          Back
        </Button>
        <Button look="danger" disabled={!preview.data} busy={busy} onClick={merge}>
          {busy ? "Merging..." : "Merge the two"}
        </Button>
      </div>
    </div>
  );
}

/** The preview of the merge, and the merge itself. */
function useMerge(keep: Family, drop: Family, onMerged: (kept: string) => void) {
  const usersChanged = useUsersChanged();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  // The id of the family whose total is kept, or "sum". The choice survives when the two are swapped.
  const [choice, setChoice] = useState<string | null>(null);
  const total: MergedTotal | null =
    choice === null ? null : choice === keep.id ? "keep" : choice === drop.id ? "drop" : "sum";
  const preview = useQuery({
    queryKey: ["admin", "merge", keep.id, drop.id, total],
    queryFn: () => mergeFamilies(keep.id, drop.id, total, true),
    // Keeps the old preview meanwhile, because the choices differ only in the plan.
    placeholderData: (before, query) => (query?.queryKey[2] === keep.id ? before : undefined),
    staleTime: 0,
    retry: false,
  });

  function choose(value: string) {
    setChoice(value);
    setFailure(null);
  }

  async function merge() {
    if (busy) return;
    if (preview.data?.totals && !total) return setFailure("Both have a plan. Please choose which total stays.");
    setBusy(true);
    setFailure(null);
    try {
      await mergeFamilies(keep.id, drop.id, total, false);
      toast({ title: "Users merged", description: `${nameOf(drop)} is now part of ${nameOf(keep)}.` });
      onMerged(keep.id);
      void usersChanged();
    } catch (error) {
      setBusy(false);
      if (!requiresSignIn(error)) setFailure(explain(error));
    }
  }
  return { preview, choice, choose, busy, failure, merge };
}

const LostMail = ({ family }: { family: Family }) => (
  <p className="flex items-start gap-2 rounded-md bg-due-wash px-3.5 py-3 text-sm text-due">
    <Icon name="alert" className="mt-[0.15em]" />
    <span>
      What <bdi>{nameOf(family)}</bdi> turned off goes to no one in the family. Keep the other one instead, or turn it
      on afterwards.
    </span>
  </p>
);

type OutcomePreview = { preview: UseQueryResult<Merged>; kept: Mail[]; leftOut: Mail[]; currency: string };

const Outcome = ({ preview, kept, leftOut, currency }: OutcomePreview) => (
  <section aria-labelledby="outcome">
    <h3 id="outcome" className="mb-2 text-lg">
      After the merge
    </h3>
    {preview.data ? (
      <MergedFamily merged={preview.data} kept={kept} leftOut={leftOut} currency={currency} />
    ) : preview.isError ? (
      <ErrorState
        title="The preview could not be made"
        error={preview.error}
        retrying={preview.isFetching}
        onRetry={preview.refetch}
      />
    ) : (
      <Loading label="Preparing the preview">
        <Skeleton className="h-36" />
      </Loading>
    )}
  </section>
);

type MergedProps = { merged: Merged; kept: Mail[]; leftOut: Mail[]; currency: string };

/** What the merged family has, and what is left out. */
function MergedFamily({ merged, kept, leftOut, currency }: MergedProps) {
  return (
    <dl className="grid gap-x-4 rounded-md bg-sunk px-4 py-3 tabular-nums max-sm:[&_dd]:mb-1.5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-y-1.5">
      <dt className="text-muted">Name</dt>
      <dd>
        <bdi>{merged.full_name || "No Name"}</bdi>
      </dd>
      <dt className="text-muted">Child</dt>
      <dd>
        <bdi>{merged.child_name || "N/A"}</bdi>
      </dd>
      <dt className="text-muted">Email</dt>
      <dd>{kept.length > 0 ? <Mails mails={kept} /> : "No Email"}</dd>
      <dt className="text-muted">Plan</dt>
      <dd>
        {merged.totals && !merged.plan
          ? "Choose a total below"
          : merged.plan
            ? `${money(merged.plan.paid_amount, currency)} of ${money(merged.plan.total_amount, currency)}`
            : "No Plan"}
      </dd>
      <dt className="text-muted">Included</dt>
      <dd>
        {[count(merged.logins, "login"), count(merged.payments, "ledger row"), count(merged.comments, "comment")].join(
          ", ",
        )}
      </dd>
      {merged.unconfirmed_logins > 0 && (
        <>
          <dt className="text-clay">Not included</dt>
          <dd>
            {merged.unconfirmed_logins === 1
              ? "1 login with an unconfirmed email is not included."
              : `${merged.unconfirmed_logins} logins with unconfirmed emails are not included.`}
          </dd>
        </>
      )}
      {merged.late_note_ends && (
        <>
          <dt className="text-clay">Late videos</dt>
          <dd>Only one of the two asked for an email when a video is late, so the merged family gets none.</dd>
        </>
      )}
      {merged.daily_email_differs && (
        <>
          <dt className="text-clay">Daily email</dt>
          <dd>
            Only one of the two gets one email a day. The merged family will do whatever the one you keep does now.
          </dd>
        </>
      )}
      {leftOut.length > 0 && (
        <>
          <dt className="text-clay">Left out</dt>
          <dd>
            <Mails mails={leftOut} />
            <span className="block text-sm text-muted">
              A family has at most two addresses. Emails about payments go to those two.
            </span>
          </dd>
        </>
      )}
    </dl>
  );
}

type TotalOption = { value: string; name: string; cents: number };

/** Asks which total to keep. Nothing is preselected, because only the office knows what was agreed. */
const TotalChoice = ({
  options,
  currency,
  chosen,
  onChoose,
}: {
  options: TotalOption[];
  currency: string;
  chosen: string | null;
  onChoose: (value: string) => void;
}) => (
  <fieldset className="grid min-w-0 gap-2">
    <legend className="mb-2 text-lg">Which total stays?</legend>
    {options.map(({ value, name, cents }) => (
      <label
        key={value}
        className="flex min-h-tap items-center gap-3 rounded-md border border-edge bg-surface px-3.5 py-2 has-checked:border-pine has-checked:bg-pine-wash"
      >
        <input
          type="radio"
          name="total"
          value={value}
          checked={chosen === value}
          onChange={() => onChoose(value)}
          className="size-5 shrink-0"
        />
        <bdi className="min-w-0 flex-1 wrap-anywhere">{name}</bdi>
        <span className="tabular-nums">{money(cents, currency)}</span>
      </label>
    ))}
    <p className="text-sm text-muted">The payments of both are kept whatever you choose.</p>
  </fieldset>
);

const kinds = (choice: Mail["after"]) => mailKinds.filter(([kind]) => choice[kind]).map(([, name]) => name);
const lost = ({ before, after }: Mail) => kinds(before).filter((kind) => !kinds(after).includes(kind));

function fate(mail: Mail) {
  const [gets, misses] = [kinds(mail.after), lost(mail)];
  if (misses.length === 0) return gets.length > 0 ? `Gets ${listed(gets)}` : "Gets no videos, updates or newsletters";
  return (
    <>
      Gets {gets.length > 0 && `${listed(gets)}, `}
      <span className="text-clay">no more {listed(misses)}</span>
    </>
  );
}

/** The addresses, each with the emails that it gets after the merge and those that it no longer gets. */
const Mails = ({ mails }: { mails: Mail[] }) =>
  mails.map((mail) => (
    <span key={mail.email} className="mb-1 block">
      <bdi className="block wrap-anywhere">{mail.email}</bdi>
      <span className="block text-sm text-muted">{fate(mail)}</span>
    </span>
  ));

const Side = ({ label, family }: { label: string; family: Family }) => (
  <div className="sheet min-w-0 px-4 py-3">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="min-w-0">
      <span className="block font-medium">
        <bdi>{nameOf(family)}</bdi>
      </span>
      <span className="block truncate text-sm text-muted">
        <bdi>{addressOf(family)}</bdi>
      </span>
    </dd>
  </div>
);
