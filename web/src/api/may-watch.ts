import type { SessionUser, Site } from "./client";
import { useSession, useSite } from "./queries";

/** Whether the camp shows its videos and updates to whoever is there; the server decides, this only saves asking. */
export const mayWatch = ({ access }: Site, user: SessionUser | null) =>
  access === "everyone" || (access === "signed_in" ? Boolean(user) : Boolean(user?.family));

export function useMayWatch(): boolean {
  const site = useSite();
  const { user, pending } = useSession();
  return site !== undefined && !pending && mayWatch(site, user);
}
