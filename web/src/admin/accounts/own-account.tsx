import { useState, type ReactNode } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { LoginSession, Staff } from "../../api/client";
import { isApiError } from "../../api/client";
import { useAction } from "../../api/use-action";
import { count } from "../../lib/format";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { Section } from "../../ui/section";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { PageHead } from "../shared/page-head";
import { roleName, useStaff } from "../shared/session";
import { OwnPassword } from "./own-password";
import { OwnRecoveryCodes } from "./own-recovery-codes";
import { OwnTwoFactor } from "./own-two-factor";
import { endOtherSessions, endOwnSession, sessionsOf, twoFactorQuery } from "./queries";
import { SessionList } from "./session-list";

/** The signed-in staff member's own password, two-factor and sessions. */
export default function OwnAccount() {
  const staff = useStaff();
  return (
    <>
      <PageHead
        title="Your account"
        description="Your password, two-factor and sessions in the staff area"
        text={
          staff && (
            <>
              <bdi className="font-medium text-ink">{staff.username}</bdi>, {roleName(staff).toLowerCase()} ·{" "}
              <bdi className="wrap-anywhere">{staff.email}</bdi>
            </>
          )
        }
      />
      {staff && (
        <div className="grid max-w-[46rem] gap-4 sm:gap-6">
          <SignIn staff={staff} />
          <OwnSessions />
        </div>
      )}
    </>
  );
}

/** The password, the authenticator app and its recovery codes. */
function SignIn({ staff }: { staff: Staff }) {
  const [open, setOpen] = useState<"password" | "factor" | "codes" | null>(null);
  const close = () => setOpen(null);
  return (
    <Section id="sign-in" title="Signing in">
      <ul className="-mt-3">
        <Row title="Password" text="Changing it signs you out on all other devices.">
          <Button look="line" onClick={() => setOpen("password")}>
            Change password
          </Button>
        </Row>
        <Row
          title="Two-factor"
          badge={
            staff.two_factor ? (
              <Badge tone="good" icon="check">
                On
              </Badge>
            ) : (
              <Badge>Off</Badge>
            )
          }
          text={
            staff.two_factor
              ? "You sign in with your password and a code of your authenticator app."
              : "A code of an authenticator app on your phone, asked for beside your password."
          }
        >
          <Button look="line" onClick={() => setOpen("factor")}>
            {staff.two_factor ? "Change two-factor" : "Set up two-factor"}
          </Button>
        </Row>
        {staff.two_factor && <RecoveryCodesRow onRenew={() => setOpen("codes")} />}
      </ul>
      {open === "password" && <OwnPassword onClose={close} />}
      {open === "factor" && <OwnTwoFactor staff={staff} onClose={close} />}
      {open === "codes" && <OwnRecoveryCodes onClose={close} />}
    </Section>
  );
}

/** With this few recovery codes left, it is time for new ones. */
const few = 3;

function RecoveryCodesRow({ onRenew }: { onRenew: () => void }) {
  const left = useQuery(twoFactorQuery).data?.recovery_codes_left;
  return (
    <Row
      title="Recovery codes"
      badge={left !== undefined && <Badge tone={left <= few ? "due" : "plain"}>{`${left} left`}</Badge>}
      text={
        left !== undefined && left <= few
          ? `${left === 0 ? "You have no codes" : `Only ${count(left, "code")} left`} for when the phone is not at hand.`
          : "Each lets you in once when the phone is not at hand."
      }
    >
      <Button look="line" onClick={onRenew}>
        New recovery codes
      </Button>
    </Row>
  );
}

type RowProps = { title: string; badge?: ReactNode; text: string; children: ReactNode };

const Row = ({ title, badge, text, children }: RowProps) => (
  <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-line py-3 not-first:border-t">
    <span className="min-w-0 flex-1 basis-60">
      <span className="flex flex-wrap items-center gap-x-2.5 font-medium">
        {title}
        {badge}
      </span>
      <span className="block text-sm text-muted">{text}</span>
    </span>
    <span className="grid w-full sm:w-50">{children}</span>
  </li>
);

function OwnSessions() {
  const client = useQueryClient();
  const end = useAction({
    mutationFn: (session: LoginSession | null) => (session ? endOwnSession(session.id) : endOtherSessions()),
    onSuccess: (_, session) =>
      toast({
        title: "Signed Out",
        description: session ? "That session has ended." : "All other sessions have ended.",
      }),
    onError: (error) => {
      // If the session has already ended, that is not an error.
      if (!isApiError(error, "not_found")) toastFailure(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: sessionsOf().queryKey }),
  });
  return (
    <Section id="sessions" title="Where you are signed in">
      <SessionList
        ending={end.isPending ? (end.variables?.id ?? null) : undefined}
        onEnd={(session) => end.mutate(session)}
      />
    </Section>
  );
}
