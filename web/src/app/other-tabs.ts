import type { QueryClient } from "@tanstack/react-query";
import { onOtherTabs, tellOtherTabs } from "../api/other-tabs";
import { sessionQuery } from "../api/queries";
import { applySession } from "../api/session";
import { deleteUnsent } from "../lib/delete-unsent";

/**
 * Applies what happened to the session elsewhere. Another tab of this browser reports that somebody signed in or out,
 * or confirmed an address. A session that expired, or that was ended on another device or by the camp, shows when the
 * session is refetched. Unsent texts are deleted only where somebody signed out. After an expired session they are
 * still there for whoever signs in again.
 */
export function followSession(client: QueryClient) {
  const read = () => client.getQueryData(sessionQuery.queryKey);
  const idNow = () => {
    const session = read();
    return session && (session.user?.id ?? null);
  };
  let known = idNow();
  let told = false;

  const stopFollowingCache = client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.query.queryKey[0] !== sessionQuery.queryKey[0]) return;
    if (event.action.type !== "success") return;
    const before = known;
    known = idNow();
    // A sign-in or sign-out in this tab has already updated the cache and been applied.
    if (event.action.manual || before === undefined || known === before) return;
    if (!told) tellOtherTabs(false);
    void applySession(client, read()?.user ?? null);
  });
  const stopFollowingTabs = onOtherTabs(async (signedOut) => {
    if (signedOut) deleteUnsent();
    told = true;
    await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
    told = false;
  });
  return () => {
    stopFollowingCache();
    stopFollowingTabs();
  };
}
