import { useState } from "react";
import { useResend } from "../accounts/use-resend";
import type { SessionUser } from "../api/client";
import { Button, IconButton } from "../ui/button";
import { Icon } from "../ui/icon";
import "../ui/more-icons";

const storageKey = "confirmLater";

/** Who dismissed the banner in this tab. */
function dismissedBy() {
  try {
    return sessionStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function rememberDismissal(userId: string) {
  try {
    sessionStorage.setItem(storageKey, userId);
  } catch {
    // Without storage, the banner returns on reload.
  }
}

/**
 * Asks people to confirm their address, because until then they cannot comment and get no emails. The banner returns at
 * the next visit.
 */
export default function VerifyBanner({ user }: { user: SessionUser }) {
  const [hidden, setHidden] = useState(dismissedBy);
  const resend = useResend(user.email);

  if (hidden === user.id) return null;
  return (
    <aside aria-label="Confirm your email" className="border-b border-line bg-due-wash">
      <div className="wrap flex items-start gap-2.5 py-2">
        <Icon name="mail" className="mt-px text-due max-sm:hidden" />
        <p className="min-w-0 flex-1 text-sm wrap-anywhere">
          Please check your email to confirm your account. Until then you can’t comment, and we won’t send emails to{" "}
          <b className="font-medium">{user.email}</b>.{" "}
          <Button
            look="quiet"
            busy={resend.isPending}
            disabled={resend.isSuccess}
            onClick={() => resend.mutate()}
            className="-my-2.5 -ms-2.5 text-sm"
          >
            {resend.isSuccess ? "Sent" : "Send it again"}
          </Button>
        </p>
        <IconButton
          icon="close"
          label="Dismiss"
          className="-my-2 -me-3"
          onClick={() => {
            rememberDismissal(user.id);
            setHidden(user.id);
          }}
        />
      </div>
    </aside>
  );
}
