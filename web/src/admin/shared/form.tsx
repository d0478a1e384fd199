import { useState } from "react";
import { Icon } from "../../ui/icon";
import { StaleNotice } from "./stale-notice";

type Options<Row, Draft> = {
  /** What is edited; null for something new. */
  opened: Row;
  draftOf: (row: Row) => Draft;
  /** What the form begins with besides, as if it had been typed. */
  begun?: Partial<Draft>;
  /** The record as it is now, or null when it was deleted. */
  read: (row: NonNullable<Row>) => Promise<NonNullable<Row> | null>;
  /** Where some fields speak of one thing. */
  merge?: (mine: Draft, base: Draft, fresh: Draft) => Draft;
  /** Called instead of a reload when there is nothing left to edit. */
  onGone: () => unknown;
};

/** What a form holds while somebody types, and the way out when somebody else saved first. */
export function useDraft<Row, Draft extends object>({ opened, draftOf, begun, read, merge = threeWay, onGone }: Options<Row, Draft>) {
  const [row, setRow] = useState(opened);
  const [draft, setDraft] = useState(() => ({ ...draftOf(opened), ...begun }));
  const [stale, setStale] = useState<"no" | "yes" | "reloaded">("no");
  const base = draftOf(row);

  async function reload() {
    if (!row) return;
    const fresh = await read(row);
    if (!fresh) return void onGone();
    setDraft((mine) => merge(mine, base, draftOf(fresh)));
    setRow(fresh);
    setStale("reloaded");
  }

  return {
    row,
    draft,
    base,
    set: (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change })),
    /** After a part was saved by itself. */
    setRow,
    dirty: !same(draft, base),
    stale,
    becameStale: () => setStale("yes"),
    reload,
  };
}

/** What I typed stays, the rest is what the record is now. */
export function threeWay<Draft extends object>(mine: Draft, base: Draft, fresh: Draft): Draft {
  const keys = Object.keys(fresh) as (keyof Draft)[];
  return Object.fromEntries(keys.map((key) => [key, mine[key] === base[key] ? fresh[key] : mine[key]])) as Draft;
}

/** Only what was changed, so that nobody undoes what they did not touch. */
export function changed<Draft extends object>(draft: Draft, base: Draft): Partial<Draft> {
  const keys = Object.keys(draft) as (keyof Draft)[];
  return Object.fromEntries(keys.filter((key) => draft[key] !== base[key]).map((key) => [key, draft[key]])) as Partial<Draft>;
}

const same = <Draft extends object>(a: Draft, b: Draft) => Object.keys(changed(a, b)).length === 0;

type NoticeProps = { what: string; stale: "no" | "yes" | "reloaded"; onReload: () => Promise<unknown> };

/** Somebody else was quicker; and then, that this is the newest version. */
export function DraftNotice({ what, stale, onReload }: NoticeProps) {
  if (stale === "no") return null;
  if (stale === "yes") return <StaleNotice what={what} onReload={onReload} />;
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-lake-wash px-3.5 py-3 text-lake">
      <Icon name="info" className="mt-[0.15em]" />
      This is the newest version, with what you typed still in it. Please look it over and save again.
    </p>
  );
}
