import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { sessionName } from "../../accounts/session-line";
import type { LoginSession } from "../../api/client";
import { useSite } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { ignoreNotFound } from "../shared/missing-records";
import { toastFailure } from "../shared/error-toast";
import { PasswordDialog } from "./password-dialog";
import { clearLimits, endAccountSession, endAccountSessions, sessionsOf, type Account } from "./queries";
import { SessionList } from "./session-list";

/**
 * The staff sessions of a colleague. Ending one takes the signed-in owner's password, like every change to another
 * account.
 */
export function SessionsDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const client = useQueryClient();
  const timeZone = useSite()?.timezone ?? "UTC";
  const [asking, setAsking] = useState<{ session: LoginSession | null } | null>(null);

  const clear = useAction({
    mutationFn: () => clearLimits(account.id),
    onSuccess: () => toast({ title: "Success", description: "They can try to sign in again right away." }),
    onError: (error) => toastFailure(error),
  });

  async function end(session: LoginSession | null, password: string) {
    // If the session has already ended, that is not an error.
    await ignoreNotFound(
      session ? endAccountSession(account.id, session.id, password) : endAccountSessions(account.id, password),
    );
    toast({ title: "Signed Out", description: session ? "That session has ended." : "All sessions have ended." });
    await client.invalidateQueries({ queryKey: sessionsOf(account.id).queryKey });
  }

  return (
    <>
      <Dialog
        title={
          <>
            Sessions of <bdi>{account.username}</bdi>
          </>
        }
        onClose={onClose}
      >
        <SessionList accountId={account.id} onEnd={(session) => setAsking({ session })} />
        <div className="mt-4 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
          <p className="text-muted">Too many wrong passwords make an account wait.</p>
          <Button look="line" busy={clear.isPending} onClick={() => clear.mutate()}>
            Clear failed sign-ins
          </Button>
        </div>
      </Dialog>
      {asking && (
        <PasswordDialog
          title={asking.session ? "End this session?" : "End all sessions?"}
          name={
            <>
              <bdi>{account.username}</bdi>{" "}
              <span className="font-normal text-muted">
                {asking.session ? sessionName(asking.session, timeZone) : "on every device"}
              </span>
            </>
          }
          action="Sign Out"
          onClose={() => setAsking(null)}
          onConfirm={(password) => end(asking.session, password)}
        >
          They are signed out there at once and can sign in again.
        </PasswordDialog>
      )}
    </>
  );
}
