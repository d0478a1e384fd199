import { useState } from "react";
import { readDraft, writeDraft } from "../../lib/drafts";
import { newIdempotencyKey } from "../shared/idempotency-key";
import { staffArea, useStaff } from "../shared/session";
import { audiences, type Audience } from "./queries";

export type LetterDraft = {
  subject: string;
  body: string;
  audience: Audience;
  /** The idempotency key, so that a letter that was sent just before a reload is not sent twice. */
  key: string;
};

const blank = (): LetterDraft => ({ subject: "", body: "", audience: "families", key: newIdempotencyKey() });

const isDraft = (value: unknown): value is LetterDraft => {
  if (typeof value !== "object" || value === null) return false;
  const { subject, body, audience, key } = value as Record<string, unknown>;
  return [subject, body, key].every((text) => typeof text === "string") && audiences.some((one) => one === audience);
};

/** The letter that is being written; it outlives a reload of the page. */
export function useLetterDraft() {
  const staffId = useStaff()?.id;
  const [me] = useState(staffId);
  const [draft, setDraft] = useState(() => {
    const kept = me ? readDraft<unknown>("letter", me, staffArea) : null;
    return isDraft(kept) ? kept : blank();
  });

  function put(next: LetterDraft) {
    setDraft(next);
    if (me) writeDraft("letter", me, next.subject || next.body ? next : null, staffArea);
  }
  return { draft, change: (part: Partial<LetterDraft>) => put({ ...draft, ...part }), clear: () => put(blank()) };
}
