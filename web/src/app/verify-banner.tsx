import { useMutation } from "@tanstack/react-query";
import { api, send } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { explain } from "../lib/forms";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { errorToast, toast } from "../ui/toast";

/** Stays visible until the address is confirmed, because before that there are no comments and no mail. */
export function VerifyBanner() {
  const site = useSite();
  const { user } = useSession();
  const resend = useMutation({
    mutationFn: () => send(api.POST("/api/auth/verify/resend")),
    onSuccess: () => toast({ title: "Confirmation sent", description: `We wrote to ${user?.email ?? "you"} again.` }),
    onError: (error) => errorToast(explain(error)),
  });

  if (!user || user.email_verified || !site?.require_email_verification) return null;
  return (
    <aside aria-label="Confirm your email" className="border-b border-line bg-amber-wash">
      <div className="wrap flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
        <p className="flex min-w-0 flex-1 basis-72 items-start gap-2.5 text-sm">
          <Icon name="mail" className="mt-px text-amber-text" />
          <span>
            Please check your email to confirm your account. Until then you cannot comment, and no videos come by mail
            to <b className="font-medium">{user.email}</b>.
          </span>
        </p>
        <Button look="quiet" busy={resend.isPending} disabled={resend.isSuccess} onClick={() => resend.mutate()}>
          {resend.isSuccess ? "Sent" : "Send it again"}
        </Button>
      </div>
    </aside>
  );
}
