import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { explain } from "../../lib/forms";
import { ConfirmDialog } from "../../ui/dialog";
import { toast } from "../../ui/toast";
import { approve, refuse, useUsersChanged, type Family } from "./queries";
import { nameOf } from "./words";

const textButton = "inline-flex min-h-tap items-center rounded-sm px-1 text-sm font-medium text-pine underline-offset-2 hover:underline aria-disabled:opacity-60";

/** Whether the camp knows somebody who registered by themselves; they are told by mail either way. */
export function ApproveButtons({ family }: { family: Family }) {
  const usersChanged = useUsersChanged();
  const [asking, setAsking] = useState(false);
  const name = nameOf(family);
  const say = useMutation({
    mutationFn: () => approve(family.id),
    onSuccess: async () => {
      toast({ title: "User Approved", description: `${name} is told by mail.` });
      await usersChanged();
    },
    onError: (error) => toast({ title: "Error", description: explain(error), destructive: true }),
  });
  const whom = <span className="sr-only"> {name}</span>;
  return (
    <span className="-my-2 inline-flex gap-x-2">
      <button type="button" aria-disabled={say.isPending} onClick={() => !say.isPending && say.mutate()} className={textButton}>Approve{whom}</button>
      {!family.refused_at && <button type="button" onClick={() => setAsking(true)} className={`${textButton} hover:text-clay`}>Refuse{whom}</button>}
      {asking && (
        <ConfirmDialog
          title="Refuse this registration?"
          name={<bdi>{name}</bdi>}
          action="Refuse"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await refuse(family.id);
            toast({ title: "User Refused", description: `${name} is told by mail.` });
            void usersChanged();
          }}
        >
          They are told by mail. You can approve them later.
        </ConfirmDialog>
      )}
    </span>
  );
}
