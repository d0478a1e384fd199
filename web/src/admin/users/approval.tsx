import { useState } from "react";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { explain } from "../../lib/forms";
import { ConfirmDialog } from "../../ui/dialog";
import { restoreFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { decide, useUsersChanged, type Decision, type Family } from "./queries";
import { nameOf, approvalStatus, decisionMessage } from "./words";

const textButton =
  "inline-flex min-h-tap items-center rounded-sm px-1 text-sm font-medium text-pine underline-offset-2 hover:underline aria-disabled:opacity-60";

const title: Record<Decision, string> = { approve: "User Approved", refuse: "User Refused" };

/** Approves or refuses somebody who registered without an invitation. */
export function ApproveButtons({ family }: { family: Family }) {
  const usersChanged = useUsersChanged();
  const [asking, setAsking] = useState(false);
  const name = nameOf(family);

  async function say(decision: Decision) {
    const { told } = await decide(family.id, decision, approvalStatus(family));
    toast({ title: title[decision], description: decisionMessage(told, name, decision) });
    await usersChanged();
    restoreFocus();
  }

  function failed(error: unknown) {
    if (!isApiError(error) || error.status !== 409) return toastFailure(error);
    // The address is not confirmed yet, or somebody else has decided. The refetched lists show which.
    toast({
      title: isApiError(error, "conflict") ? "Not approved yet" : "Already decided",
      description: `${name}: ${explain(error)}`,
      destructive: true,
    });
    void usersChanged();
  }

  const approve = useAction({ mutationFn: () => say("approve"), onError: failed });
  const whom = <span className="sr-only"> {name}</span>;
  return (
    <span className="-my-2 inline-flex gap-x-2">
      <button
        type="button"
        aria-disabled={approve.isPending}
        onClick={() => !approve.isPending && approve.mutate()}
        className={textButton}
      >
        Approve{whom}
      </button>
      {!family.refused_at && (
        <button type="button" onClick={() => setAsking(true)} className={`${textButton} hover:text-clay`}>
          Refuse{whom}
        </button>
      )}
      {asking && (
        <ConfirmDialog
          title="Refuse this registration?"
          name={<bdi>{name}</bdi>}
          action="Refuse"
          onClose={() => setAsking(false)}
          onConfirm={() =>
            say("refuse").catch((error: unknown) => {
              if (!isApiError(error) || error.status !== 409) throw error;
              failed(error);
            })
          }
        >
          We’ll email them if they have confirmed their address. You can still approve them later.
        </ConfirmDialog>
      )}
    </span>
  );
}
