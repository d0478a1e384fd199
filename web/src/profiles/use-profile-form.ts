import { useState } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { isApiError, type Profile, type ProfilePatch } from "../api/client";
import { sessionQuery } from "../api/queries";
import { explainOr } from "../lib/forms";
import { toast } from "../ui/toast";
import { profileQuery, saveProfile } from "./queries";

export type ProfileForm = ReturnType<typeof useProfileForm>;

/** What was changed on the profile page and is not saved yet. Nothing typed is lost when saving fails. */
export function useProfileForm(saved: Profile) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<ProfilePatch>({});
  const [editing, setEditing] = useState(false);

  const save = useMutation({
    mutationFn: (changes: ProfilePatch) => saveProfile(changes),
    onSuccess: (profile, changes) => {
      client.setQueryData(profileQuery.queryKey, profile);
      setDraft((now) => Object.fromEntries(Object.entries(now).filter(([key]) => !(key in changes))));
      if ("full_name" in changes) setEditing(false);
      toast({ title: "Profile Updated!", description: "Your profile settings have been saved successfully." });
      // The header greets by name.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error, changes) => {
      toast({ title: "Error", description: explainOr(error, "Failed to update profile."), destructive: true });
      const wrong = isApiError(error) ? Object.keys(error.fields).find((field) => field in changes) : undefined;
      if (wrong) document.querySelector<HTMLElement>(`#profile [name="${wrong}"]`)?.focus();
    },
  });

  const now: Profile = { ...saved, ...(draft as Partial<Profile>) };
  const names = () => ({ full_name: now.full_name.trim(), ...(now.user_type === "parent" ? { child_name: (now.child_name ?? "").trim() } : {}) });

  return {
    saved,
    now,
    editing,
    busy: save.isPending,
    errors: isApiError(save.error) ? save.error.fields : {},
    changed: Object.entries(draft).some(([key, value]) => (saved[key as keyof Profile] ?? "") !== value),
    change: (part: ProfilePatch) => setDraft((before) => ({ ...before, ...part })),
    edit: () => setEditing(true),
    // A second address typed into the same card goes with the names.
    saveNames: () => save.isPending || save.mutate({ ...names(), ...("secondary_email" in draft ? { secondary_email: (now.secondary_email ?? "").trim() } : {}) }),
    saveAll: () =>
      save.isPending ||
      save.mutate({
        ...names(),
        secondary_email: (now.secondary_email ?? "").trim(),
        daily_video_email: now.daily_video_email,
        camp_updates_email: now.camp_updates_email,
        email_notifications: now.email_notifications,
      }),
  };
}
