import { useState } from "react";
import { readUnsent, writeUnsent } from "../../lib/unsent";
import { newIdempotencyKey } from "../shared/idempotency-key";
import { staffArea, useStaff } from "../shared/session";
import { audiences, type Audience } from "./queries";

type UnsentLetter = {
  subject: string;
  body: string;
  audience: Audience;
  /** The idempotency key, so that a newsletter sent just before a reload is not sent twice. */
  key: string;
};

const blank = (): UnsentLetter => ({ subject: "", body: "", audience: "families", key: newIdempotencyKey() });

const isLetter = (value: unknown): value is UnsentLetter => {
  if (typeof value !== "object" || value === null) return false;
  const { subject, body, audience, key } = value as Record<string, unknown>;
  return [subject, body, key].every((text) => typeof text === "string") && audiences.some((one) => one === audience);
};

/** The newsletter that is being written. It survives a reload of the page. */
export function useUnsentLetter() {
  const staffId = useStaff()?.id;
  const [me] = useState(staffId);
  const [letter, setLetter] = useState(() => {
    const kept = me ? readUnsent<unknown>("letter", me, staffArea) : null;
    return isLetter(kept) ? kept : blank();
  });

  function put(next: UnsentLetter) {
    setLetter(next);
    if (me) writeUnsent("letter", me, next.subject || next.body ? next : null, staffArea);
  }
  /** Makes the next send a new one, whatever happened to the last one. */
  const renewKey = () => put({ ...letter, key: newIdempotencyKey() });
  return {
    letter,
    renewKey,
    change: (part: Partial<UnsentLetter>) => put({ ...letter, ...part }),
    clear: () => put(blank()),
  };
}
