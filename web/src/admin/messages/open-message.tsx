import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { Drawer } from "../../ui/drawer";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { MessageDrawer } from "./message-drawer";
import { messageQuery, type Message } from "./queries";

type Props = { id: string; listed: Message | undefined; timeZone: string; onClose: () => void };

/** The message named in the URL, even when the list does not contain it. */
export function OpenMessage({ id, listed, timeZone, onClose }: Props) {
  const [known, setKnown] = useState(listed);
  if (listed && listed !== known && listed.version >= (known?.version ?? 0)) setKnown(listed);
  const { data: fetched, error, isError, isFetching, refetch } = useQuery({ ...messageQuery(id), enabled: !listed });
  const current = fetched && !listed && fetched.version >= (known?.version ?? 0) ? fetched : known;
  if (current) return <MessageDrawer message={current} timeZone={timeZone} onChanged={setKnown} onClose={onClose} />;
  return (
    <Drawer title="Message" onClose={onClose}>
      {!isError ? (
        <Loading label="Loading message" className="grid gap-5">
          <Skeleton className="h-20" />
          <Skeleton className="h-40" />
        </Loading>
      ) : isApiError(error, "not_found") ? (
        <EmptyState title="Message not found" text="It may have been deleted." />
      ) : (
        <ErrorState title="Failed to load this message" error={error} retrying={isFetching} onRetry={refetch} />
      )}
    </Drawer>
  );
}
