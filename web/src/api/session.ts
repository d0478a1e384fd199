import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { SessionUser } from "./client";
import { tellOtherTabs } from "./other-tabs";
import { sessionQuery, siteQuery } from "./queries";

/** Removes everything that the previous person could see. */
export async function applySession(client: QueryClient, user: SessionUser | null) {
  await client.cancelQueries();
  client.setQueryData(sessionQuery.queryKey, { user });
  // Invitations and password links depend only on their token, and used ones cannot be read again.
  const keep = [siteQuery.queryKey[0], sessionQuery.queryKey[0], "invitation", "reset-link"];
  client.removeQueries({ predicate: ({ queryKey }) => !keep.includes(String(queryKey[0])), type: "inactive" });
  await client.resetQueries({ predicate: ({ queryKey }) => !keep.includes(String(queryKey[0])), type: "active" });
}

/** Call after signing in or out in this tab. The other tabs follow. */
export function useSessionChanged() {
  const client = useQueryClient();
  return async (user: SessionUser | null) => {
    tellOtherTabs(user === null);
    await applySession(client, user);
  };
}
