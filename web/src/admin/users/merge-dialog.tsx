import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { explain } from "../../lib/forms";
import { count, money } from "../../lib/format";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { FormMessage } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { isTurnedAway } from "../shared/session";
import { mergeFamilies, usersQuery, useUsersChanged, type Family, type Merged, type MergedTotal } from "./queries";
import { addressOf, listed, mailKinds, nameOf } from "./words";

type Mail = Merged["mail"][number];

type Props = { family: Family; currency: string; onClose: () => void; onMerged: (kept: string) => void };

/** One family of two that were found double: choose the other, look at what would come of it, then do it. */
export function MergeDialog({ family, currency, onClose, onMerged }: Props) {
  const [other, setOther] = useState<Family | null>(null);
  return (
    <Dialog title="Merge two users" onClose={onClose} className="sm:w-[min(100%-2rem,38rem)]!">
      {other ? (
        <Preview one={family} other={other} currency={currency} onBack={() => setOther(null)} onMerged={onMerged} />
      ) : (
        <Choose family={family} onChoose={setOther} />
      )}
    </Dialog>
  );
}

function Choose({ family, onChoose }: { family: Family; onChoose: (other: Family) => void }) {
  // The last name is what doubles mostly share.
  const [term, setTerm] = useState(family.full_name.split(/\s+/).at(-1) ?? "");
  const found = useInfiniteQuery({ ...usersQuery({ ...(term ? { q: term } : {}), sort: "name" }, 20) });
  const others = found.data?.filter(({ id }) => id !== family.id) ?? [];
  return (
    <div className="grid gap-4">
      <p className="text-muted">Which one is the same family as <bdi className="font-medium text-ink">{nameOf(family)}</bdi>?</p>
      <SearchBox label="Search the other user" placeholder="Search by name, child or email" value={term} onSearch={setTerm} />
      {found.data ? (
        others.length > 0 ? (
          <ul className="sheet max-h-80 overflow-auto">
            {others.map((other) => (
              <li key={other.id} className="border-line not-first:border-t">
                <button type="button" onClick={() => onChoose(other)} className="w-full px-4 py-2.5 text-start hover:bg-sunk focus-visible:-outline-offset-3">
                  <span className="block font-medium"><bdi>{nameOf(other)}</bdi></span>
                  <span className="block text-sm text-muted"><bdi>{addressOf(other)}</bdi>{other.child_name && <> · <bdi>{other.child_name}</bdi></>}</span>
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <p role="status" className="rounded-md bg-sunk px-4 py-3 text-muted">No other user matches. Try the child's name or an address.</p>
        )
      ) : found.isError ? (
        <ErrorState title="Failed to load users" error={found.error} retrying={found.isFetching} onRetry={found.refetch} />
      ) : (
        <Loading label="Loading users..." className="grid gap-2">{Array.from({ length: 4 }, (_, i) => <Skeleton key={i} className="h-12" />)}</Loading>
      )}
    </div>
  );
}

function Preview({ one, other, currency, onBack, onMerged }: { one: Family; other: Family; currency: string; onBack: () => void; onMerged: (kept: string) => void }) {
  const usersChanged = useUsersChanged();
  const [turned, setTurned] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [keep, drop] = turned ? [other, one] : [one, other];
  // A family whose total stays, or both together; a choice holds when the two change places.
  const [choice, setChoice] = useState<string | null>(null);
  const total: MergedTotal | null = choice === null ? null : choice === keep.id ? "keep" : choice === drop.id ? "drop" : "sum";
  const preview = useQuery({
    queryKey: ["admin", "merge", keep.id, drop.id, total],
    queryFn: () => mergeFamilies(keep.id, drop.id, total, true),
    // Only the plan differs between the choices.
    placeholderData: (before, query) => (query?.queryKey[2] === keep.id ? before : undefined),
    staleTime: 0,
    retry: false,
  });

  const totals = preview.data?.totals;
  const mails = preview.data?.mail ?? [];
  const kept = mails.filter(({ email }) => preview.data?.emails.includes(email));
  const leftOut = mails.filter((mail) => !kept.includes(mail));

  async function merge() {
    if (busy) return;
    if (totals && !total) return setFailure("Both have a plan. Please choose which total stays.");
    setBusy(true);
    setFailure(null);
    try {
      await mergeFamilies(keep.id, drop.id, total, false);
      toast({ title: "Users merged", description: `${nameOf(drop)} is now part of ${nameOf(keep)}.` });
      onMerged(keep.id);
      void usersChanged();
    } catch (error) {
      setBusy(false);
      if (!isTurnedAway(error)) setFailure(explain(error));
    }
  }

  return (
    <div className="grid gap-4">
      <dl className="grid gap-3 sm:grid-cols-2">
        <Side label="Stays" family={keep} />
        <Side label="Becomes part of it" family={drop} />
      </dl>
      <div className="flex flex-wrap gap-x-4">
        <Button look="quiet" icon="refresh" onClick={() => setTurned(!turned)} className="-ms-2.5">Keep the other one instead</Button>
        <Button look="quiet" onClick={onBack} className="-ms-2.5">Choose somebody else</Button>
      </div>
      <section aria-labelledby="outcome">
        <h3 id="outcome" className="mb-2 text-lg">What comes of it</h3>
        {preview.data ? (
          <dl className="grid gap-x-4 rounded-md bg-sunk px-4 py-3 tabular-nums max-sm:[&_dd]:mb-1.5 sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-y-1.5">
            <dt className="text-muted">Name</dt>
            <dd><bdi>{preview.data.full_name || "No Name"}</bdi></dd>
            <dt className="text-muted">Child</dt>
            <dd><bdi>{preview.data.child_name || "N/A"}</bdi></dd>
            <dt className="text-muted">Email</dt>
            <dd>{kept.length > 0 ? <Mails mails={kept} /> : "No Email"}</dd>
            <dt className="text-muted">Plan</dt>
            <dd>{totals && !preview.data.plan ? "Choose a total below" : preview.data.plan ? `${money(preview.data.plan.paid_amount, currency)} of ${money(preview.data.plan.total_amount, currency)}` : "No Plan"}</dd>
            <dt className="text-muted">With it</dt>
            <dd>{[count(preview.data.logins, "login"), count(preview.data.payments, "ledger row"), count(preview.data.comments, "comment")].join(", ")}</dd>
            {preview.data.unconfirmed_logins > 0 && (
              <>
                <dt className="text-clay">Not with it</dt>
                <dd>
                  {preview.data.unconfirmed_logins === 1
                    ? "1 login whose address nobody confirmed stays out."
                    : `${preview.data.unconfirmed_logins} logins whose addresses nobody confirmed stay out.`}
                </dd>
              </>
            )}
            {leftOut.length > 0 && (
              <>
                <dt className="text-clay">Left out</dt>
                <dd>
                  <Mails mails={leftOut} />
                  <span className="block text-sm text-muted">A family has at most two addresses. Mail about payments goes to those two.</span>
                </dd>
              </>
            )}
          </dl>
        ) : preview.isError ? (
          <ErrorState title="The preview could not be made" error={preview.error} retrying={preview.isFetching} onRetry={preview.refetch} />
        ) : (
          <Loading label="Preparing the preview"><Skeleton className="h-36" /></Loading>
        )}
      </section>
      {totals && (
        <TotalChoice
          options={[
            { value: keep.id, name: nameOf(keep), cents: totals.keep },
            { value: drop.id, name: nameOf(drop), cents: totals.drop },
            { value: "sum", name: "Both together", cents: totals.keep + totals.drop },
          ]}
          currency={currency}
          chosen={choice}
          onChoose={(value) => {
            setChoice(value);
            setFailure(null);
          }}
        />
      )}
      {kept.some((mail) => lost(mail).length > 0) && (
        <p className="flex items-start gap-2 rounded-md bg-amber-wash px-3.5 py-3 text-sm text-amber-text">
          <Icon name="alert" className="mt-[0.15em]" />
          <span>What <bdi>{nameOf(keep)}</bdi> has switched off goes to nobody in the family. Keep the other one instead, or switch it on afterwards.</span>
        </p>
      )}
      <p className="text-sm text-muted">What somebody has declined stays declined. Nobody is mailed about the merge. It is written down in the audit log and cannot be undone.</p>
      <FormMessage>{failure}</FormMessage>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={onBack}>Back</Button>
        <Button look="danger" disabled={!preview.data} busy={busy} onClick={merge}>{busy ? "Merging..." : "Merge the two"}</Button>
      </div>
    </div>
  );
}

type TotalOption = { value: string; name: string; cents: number };

/** Two plans become one: nothing is chosen beforehand, since nobody but the office knows what was agreed. */
const TotalChoice = ({ options, currency, chosen, onChoose }: { options: TotalOption[]; currency: string; chosen: string | null; onChoose: (value: string) => void }) => (
  <fieldset className="grid min-w-0 gap-2">
    <legend className="mb-2 text-lg">Which total stays?</legend>
    {options.map(({ value, name, cents }) => (
      <label key={value} className="flex min-h-tap items-center gap-3 rounded-md border border-edge bg-surface px-3.5 py-2 has-checked:border-pine has-checked:bg-pine-wash">
        <input type="radio" name="total" value={value} checked={chosen === value} onChange={() => onChoose(value)} className="size-5 shrink-0 accent-pine" />
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
  if (misses.length === 0) return gets.length > 0 ? `Gets ${listed(gets)}` : "Gets no videos, updates or letters";
  return <>Gets {gets.length > 0 && `${listed(gets)}, `}<span className="text-clay">no more {listed(misses)}</span></>;
}

/** Addresses, each with the mail that it gets when the two are one, and what it gets no more. */
const Mails = ({ mails }: { mails: Mail[] }) => mails.map((mail) => (
  <span key={mail.email} className="mb-1 block">
    <bdi className="block wrap-anywhere">{mail.email}</bdi>
    <span className="block text-sm text-muted">{fate(mail)}</span>
  </span>
));

const Side = ({ label, family }: { label: string; family: Family }) => (
  <div className="sheet min-w-0 px-4 py-3">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="min-w-0">
      <span className="block font-medium"><bdi>{nameOf(family)}</bdi></span>
      <span className="block truncate text-sm text-muted"><bdi>{addressOf(family)}</bdi></span>
    </dd>
  </div>
);
