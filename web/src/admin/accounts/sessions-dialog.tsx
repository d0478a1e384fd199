import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { SessionLine } from "../../accounts/session-line";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import {
  endAccountSession,
  endAccountSessions,
  endOtherSessions,
  endOwnSession,
  sessionsOf,
  type Account,
} from "./queries";

/** The staff sessions of an account, or one's own without an account. */
export function SessionsDialog({ account, onClose }: { account?: Account; onClose: () => void }) {
  const client = useQueryClient();
  const sessions = useQuery(sessionsOf(account?.id));
  const reload = () => client.invalidateQueries({ queryKey: sessionsOf(account?.id).queryKey });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const end = useMutation({
    mutationFn: (id: string | null) =>
      id === null
        ? account
          ? endAccountSessions(account.id)
          : endOtherSessions()
        : account
          ? endAccountSession(account.id, id)
          : endOwnSession(id),
    onSuccess: (_, id) =>
      toast({
        title: "Signed Out",
        description: id === null ? "All other sessions have ended." : "That session has ended.",
      }),
    onError: (error) => {
      // The session has ended already, which is no error.
      if (!isApiError(error, "not_found")) toastFailure(error);
    },
    onSettled: reload,
  });

  return (
    <Dialog
      title={
        account ? (
          <>
            Sessions of <bdi>{account.username}</bdi>
          </>
        ) : (
          "Where you are signed in"
        )
      }
      onClose={onClose}
    >
      {sessions.data ? (
        <>
          {sessions.data.length === 0 && (
            <EmptyState title="Not signed in anywhere" text="Sessions end by themselves after a while without use." />
          )}
          <ul>
            {sessions.data.map((session) => (
              <SessionLine
                key={session.id}
                session={session}
                busy={end.isPending && end.variables === session.id}
                onEnd={() => end.mutate(session.id)}
              />
            ))}
          </ul>
          {others.length > 1 && (
            <div className="mt-4 flex justify-end border-t border-line pt-4">
              <Button
                look="line"
                icon="signOut"
                busy={end.isPending && end.variables === null}
                onClick={() => end.mutate(null)}
              >
                {others.length < sessions.data.length
                  ? `Sign out the other ${others.length}`
                  : `Sign out all ${others.length}`}
              </Button>
            </div>
          )}
        </>
      ) : sessions.isError ? (
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
      )}
    </Dialog>
  );
}
