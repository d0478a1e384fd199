import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { sessionName } from "../../accounts/session-line";
import type { LoginSession } from "../../api/client";
import { useSite } from "../../api/queries";
import { Dialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { ignoreNotFound } from "../shared/missing-records";
import { PasswordDialog } from "./password-dialog";
import { endAccountSession, endAccountSessions, sessionsOf, type Account } from "./queries";
import { SessionList } from "./session-list";

/** The staff sessions of a colleague. To end one takes one's own password, as every change of another account does. */
export function SessionsDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const client = useQueryClient();
  const timeZone = useSite()?.timezone ?? "UTC";
  const [asking, setAsking] = useState<{ session: LoginSession | null } | null>(null);

  async function end(session: LoginSession | null, password: string) {
    // A session that has ended already is no error.
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
