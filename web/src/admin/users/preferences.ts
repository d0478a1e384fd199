import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { errorToast, toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { editFamily, knownFamily, readFamily, writeFamily, type Family, type FamilyDetail } from "./queries";

export type Preference = "daily_video_email" | "camp_updates_email" | "email_notifications";

const kindOf = {
  daily_video_email: "daily_videos",
  camp_updates_email: "camp_updates",
  email_notifications: "general",
} as const;

/** The family stopped these emails itself, and only the family can start them again. */
export const isStopped = ({ stopped }: Family, preference: Preference) => stopped.includes(kindOf[preference]);

/**
 * Changes one of a family's switches, optimistically in the list and then on the server. If somebody else has changed
 * the family since, the switch is retried on the newest version.
 */
async function savePreference(
  client: QueryClient,
  family: Family,
  preference: Preference,
  on: boolean,
): Promise<FamilyDetail> {
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
  const save = useAction({
    // Sends one request at a time, so that the second one has the version that the first one created.
    scope: { id: `family ${id}` },
    mutationFn: (on: boolean) => savePreference(client, family, preference, on),
    // Updates the cache first, because waiting for a running fetch would make the switch jump back for a moment.
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
      if (!requiresSignIn(error))
        errorToast(isApiError(error, "conflict") ? error.message : "Failed to update notification settings");
      void client.invalidateQueries({ queryKey: ["admin", "users"] });
    },
  });
  return [family[preference], save.mutate];
}
