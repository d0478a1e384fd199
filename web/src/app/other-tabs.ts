import type { QueryClient } from "@tanstack/react-query";
import { onOtherTabs } from "../api/other-tabs";
import { sessionQuery } from "../api/queries";
import { applySession } from "../api/session";
import { deleteUnsent } from "../lib/delete-unsent";

/** Applies what another tab of this browser did: somebody signed in or out, or confirmed the address. */
export const followOtherTabs = (client: QueryClient) =>
  onOtherTabs(async (signedOut) => {
    const before = client.getQueryData(sessionQuery.queryKey)?.user?.id;
    if (signedOut) deleteUnsent();
    const now = await client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
    if (now && now.user?.id !== before) await applySession(client, now.user ?? null);
  });
