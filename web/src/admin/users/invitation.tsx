import { useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, TextInput } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { focusOnMount } from "../shared/focus";
import { invitationLink, invite, useUsersChanged, type Family } from "./queries";

/** Sends an invitation by mail, or shows its link. */
export function InvitationButtons({ family }: { family: Family }) {
  const usersChanged = useUsersChanged();
  const [link, setLink] = useState<string | null>(null);
  const failed = (error: unknown) => toastFailure(error);

  const send = useMutation({
    mutationFn: () => invite(family.id),
    onSuccess: async () => {
      toast({ title: "Invitation sent", description: `It is on its way to ${family.email}.` });
      await usersChanged();
    },
    onError: failed,
  });
  const copy = useMutation({
    mutationFn: () => invitationLink(family.id),
    onSuccess: async ({ url }) => {
      try {
        await navigator.clipboard.writeText(url);
        toast({ title: "Link copied!", description: "The invitation link works once." });
      } catch {
        setLink(url);
      }
      await usersChanged();
    },
    onError: failed,
  });

  return (
    <>
      {family.email && (
        <Button look="line" icon="mail" busy={send.isPending} onClick={() => send.mutate()}>
          {send.isPending ? "Sending..." : family.invited ? "Send invitation again" : "Invite"}
        </Button>
      )}
      <Button look="line" icon="link" busy={copy.isPending} onClick={() => copy.mutate()}>
        Copy invitation link
      </Button>
      {link && (
        <Dialog title="Copy failed" onClose={() => setLink(null)}>
          <Field label="Please copy the link manually." hint="It works once.">
            <TextInput readOnly dir="ltr" value={link} ref={focusOnMount} onFocus={(event) => event.target.select()} />
          </Field>
        </Dialog>
      )}
    </>
  );
}
