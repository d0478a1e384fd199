import { useEffect, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { isApiError, type Profile, type ProfilePatch } from "../api/client";
import { sessionQuery } from "../api/queries";
import { useAction } from "../api/use-action";
import { explainOr } from "../lib/forms";
import { readUnsent, writeUnsent } from "../lib/unsent";
import { errorToast, toast } from "../ui/toast";
import { profileQuery, saveProfile } from "./queries";

/** The fields that the card with the names saves. */
const personal = ["full_name", "child_name", "secondary_email", "current_password"] as const;
const everything = [
  ...personal,
  "daily_video_email",
  "camp_updates_email",
  "email_notifications",
  "late_video_note",
  "daily_digest",
] as const;

/** Only the changed values. What was changed elsewhere in the meantime stays as it is. */
export function changesOf(typed: ProfilePatch, saved: Profile, part: readonly (keyof ProfilePatch)[]): ProfilePatch {
  const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : (value ?? ""));
  const changed = part.filter(
    (key) => key in typed && key !== "current_password" && trimmed(typed[key]) !== trimmed(saved[key as keyof Profile]),
  );
  const changes: ProfilePatch = Object.fromEntries(changed.map((key) => [key, trimmed(typed[key])]));
  return asksPassword(changes, saved) ? { ...changes, current_password: typed.current_password ?? "" } : changes;
}

/**
 * Whether the changes need the password, because an unattended page must not be enough to lock out the other parent.
 */
const asksPassword = (changes: ProfilePatch, saved: Profile) =>
  saved.secondary_email_verified && "secondary_email" in changes;

type Part = readonly (keyof ProfilePatch)[];

/** What is left of the typed values after one part was saved: the other parts, and what was typed in the meantime. */
const withoutSaved = (typed: ProfilePatch, part: Part, sent: ProfilePatch): ProfilePatch =>
  Object.fromEntries(
    Object.entries(typed).filter(
      ([key, value]) => !part.includes(key as keyof ProfilePatch) || value !== sent[key as keyof ProfilePatch],
    ),
  );

export type ProfileForm = ReturnType<typeof useProfileForm>;

const unsentName = "profile";

/**
 * The changes on the profile page that are not saved yet. They survive a failure, a link, a reload and signing in
 * again, except for the password. `owner` is the signed-in person.
 */
export function useProfileForm(saved: Profile, owner: string) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<ProfilePatch>(() => readUnsent<ProfilePatch>(unsentName, owner) ?? {});
  const [editing, setEditing] = useState(() => personal.some((key) => key in typed));
  useEffect(() => {
    const { current_password: _, ...rest } = typed;
    writeUnsent(unsentName, owner, Object.keys(rest).length > 0 ? rest : null);
  }, [typed, owner]);
  // A double click is faster than the mutation's pending state.
  const saving = useRef(false);

  const save = useAction({
    mutationFn: ({ part, sent }: { part: Part; sent: ProfilePatch }) => saveProfile(changesOf(sent, saved, part)),
    onSuccess: (profile, { part, sent }) => {
      client.setQueryData(profileQuery.queryKey, profile);
      const left = withoutSaved(typed, part, sent);
      setTyped(left);
      setEditing(editing && part.some((key) => key in left));
      toast({ title: "Profile Updated!", description: "Your profile settings have been saved successfully." });
      // The header greets people by name.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error, { part }) => {
      errorToast(explainOr(error, "Failed to update profile."));
      const wrong = isApiError(error)
        ? Object.keys(error.fields).find((field) => part.includes(field as keyof ProfilePatch))
        : undefined;
      if (wrong) document.querySelector<HTMLElement>(`#profile [name="${wrong}"]`)?.focus();
    },
    onSettled: () => {
      saving.current = false;
    },
  });

  function saveOnce(part: Part) {
    if (saving.current) return;
    saving.current = true;
    save.mutate({ part, sent: typed });
  }

  const isChanged = (key: string) =>
    key !== "current_password" &&
    key in typed &&
    (saved[key as keyof Profile] ?? "") !== typed[key as keyof ProfilePatch];

  const changes = changesOf(typed, saved, everything);
  const now: Profile = { ...saved, ...(typed as Partial<Profile>) };
  return {
    saved,
    now,
    editing,
    busy: save.isPending,
    errors: isApiError(save.error) ? save.error.fields : {},
    changed: everything.some(isChanged),
    personalChanged: personal.some(isChanged),
    asksPassword: asksPassword(changes, saved),
    password: typed.current_password ?? "",
    change: (part: ProfilePatch) => setTyped((before) => ({ ...before, ...part })),
    edit: () => setEditing(true),
    cancelPersonal() {
      setTyped((before) => withoutSaved(before, personal, before));
      setEditing(false);
      save.reset();
    },
    savePersonal: () => saveOnce(personal),
    saveAll: () => saveOnce(everything),
  };
}
