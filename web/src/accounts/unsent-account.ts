import { readUnsent, writeUnsent } from "../lib/unsent";

/** What was typed to sign in or up, without the password. */
type UnsentAccount = { name?: string; child_name?: string; email?: string; user_type?: "parent" | "visitor" };

const name = "account";

export const readUnsentAccount = () => readUnsent<UnsentAccount>(name, undefined) ?? {};

/** Keeps these fields beside those of before, which the form may not show right now; null deletes all. */
export const keepUnsentAccount = (typed: UnsentAccount | null) =>
  writeUnsent(name, undefined, typed && { ...readUnsentAccount(), ...typed });

/** The fields that the form shows. */
export const accountFields = (data: FormData): UnsentAccount =>
  Object.fromEntries(["name", "child_name", "email"].filter((key) => data.has(key)).map((key) => [key, data.get(key)]));
