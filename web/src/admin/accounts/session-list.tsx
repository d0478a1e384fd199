import { useQuery } from "@tanstack/react-query";
import { SessionLine } from "../../accounts/session-line";
import type { LoginSession } from "../../api/client";
import { Button } from "../../ui/button";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { sessionsOf } from "./queries";

type Props = {
  /** Without this, the list shows the signed-in person's own sessions. */
  accountId?: string;
  /** The session that is being ended. Null means all others. */
  ending?: string | null | undefined;
  /** Ends this session. Null ends all but the current one. */
  onEnd: (session: LoginSession | null) => void;
};

/** Where an account is signed in to the staff area. */
export function SessionList({ accountId, ending, onEnd }: Props) {
  const sessions = useQuery(sessionsOf(accountId));
  if (!sessions.data) {
    return sessions.isError ? (
      <ErrorState
        title="The sessions could not be loaded"
        error={sessions.error}
        retrying={sessions.isFetching}
        onRetry={sessions.refetch}
      />
    ) : (
      <Loading label="Loading the sessions" className="grid gap-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </Loading>
    );
  }
  const others = sessions.data.filter(({ current }) => !current).length;
  return (
    <>
      {sessions.data.length === 0 && (
        <EmptyState title="Not signed in anywhere" text="Sessions end on their own after a while." />
      )}
      <ul>
        {sessions.data.map((session) => (
          <SessionLine key={session.id} session={session} busy={ending === session.id} onEnd={() => onEnd(session)} />
        ))}
      </ul>
      {others > 1 && (
        <div className="mt-4 flex justify-end border-t border-line pt-4">
          <Button look="line" icon="signOut" busy={ending === null} onClick={() => onEnd(null)}>
            {others < sessions.data.length ? `Sign Out the other ${others}` : `Sign Out all ${others}`}
          </Button>
        </div>
      )}
    </>
  );
}
