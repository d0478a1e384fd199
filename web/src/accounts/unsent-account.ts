import { readUnsent, writeUnsent } from "../lib/unsent";

/** What was typed into the sign-in or sign-up form, without the password. */
type UnsentAccount = { name?: string; child_name?: string; email?: string; user_type?: "parent" | "visitor" };

const name = "account";

export const readUnsentAccount = () => readUnsent<UnsentAccount>(name, undefined) ?? {};

/** Keeps these fields together with earlier ones, which the form may not show right now. Null deletes all of them. */
export const keepUnsentAccount = (typed: UnsentAccount | null) =>
  writeUnsent(name, undefined, typed && { ...readUnsentAccount(), ...typed });

/** The fields that the form shows. */
export const accountFields = (data: FormData): UnsentAccount =>
  Object.fromEntries(["name", "child_name", "email"].filter((key) => data.has(key)).map((key) => [key, data.get(key)]));
