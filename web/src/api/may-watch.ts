import type { SessionUser, Site } from "./client";
import { useSession, useSite } from "./queries";

/** Whether this person may watch. The server decides. This only avoids requests that it would refuse. */
export const mayWatch = ({ access }: Site, user: SessionUser | null) =>
  access === "everyone" || (access === "signed_in" ? Boolean(user) : Boolean(user?.family));

export function useMayWatch(): boolean {
  const site = useSite();
  const { user, pending } = useSession();
  return site !== undefined && !pending && mayWatch(site, user);
}
