import { useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { errorToast, toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { editFamily, knownFamily, readFamily, writeFamily, type Family, type FamilyDetail } from "./queries";

export type Preference = "daily_video_email" | "camp_updates_email" | "email_notifications";

const kindOf = { daily_video_email: "daily_videos", camp_updates_email: "camp_updates", email_notifications: "general" } as const;

/** The family stopped that mail itself, and only its people can begin it again. */
export const isStopped = ({ stopped }: Family, preference: Preference) => stopped.includes(kindOf[preference]);

/**
 * One switch of a family, at once in the list and then on the server. Whatever somebody else changed meanwhile
 * stays: a switch says how it shall be, so it is tried again on the newest version.
 */
export async function savePreference(client: QueryClient, family: Family, preference: Preference, on: boolean): Promise<FamilyDetail> {
  const { version } = knownFamily(client, family.id) ?? family;
  try {
    return await editFamily(family.id, { version, [preference]: on });
  } catch (error) {
    if (!isApiError(error, "stale")) throw error;
    const fresh = await readFamily(family.id);
    return editFamily(family.id, { version: fresh.version, [preference]: on });
  }
}

export function usePreference(family: Family, preference: Preference): [boolean, (on: boolean) => void] {
  const client = useQueryClient();
  const { id } = family;
  const write = (change: Partial<Family>) => writeFamily(client, id, (now) => ({ ...now, ...change }));
  const save = useMutation({
    // One after the other, so that a second switch knows the version that the first one made.
    scope: { id: `family ${id}` },
    mutationFn: (on: boolean) => savePreference(client, family, preference, on),
    // Turned first: waiting for a list that is on its way would let the switch jump back for a moment.
    onMutate: (on) => {
      write({ [preference]: on });
      return client.cancelQueries({ queryKey: ["admin", "users", "list"] });
    },
    onSuccess: (fresh) => {
      write({ version: fresh.version, [preference]: fresh[preference] });
      toast({ title: "Settings Updated", description: "Email notification preferences updated" });
    },
    onError: (error, on) => {
      write({ [preference]: !on });
      if (!requiresSignIn(error)) errorToast(isApiError(error, "conflict") ? error.message : "Failed to update notification settings");
      void client.invalidateQueries({ queryKey: ["admin", "users"] });
    },
  });
  return [family[preference], save.mutate];
}
