import { useState } from "react";
import { useAction } from "../../api/use-action";
import { copyText } from "../../lib/copy";
import { Button } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Dialog } from "../../ui/dialog";
import { Field, TextInput } from "../../ui/field";
import { Icon, type IconName } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { focusOnMount } from "../../ui/focus";
import { invitationLink, invite, useUsersChanged, type Family } from "./queries";
import { nameOf } from "./words";

/** Sends an invitation by email, or copies its link. `manual` is the link to show where the browser cannot copy it. */
function useInvitation(family: Family) {
  const usersChanged = useUsersChanged();
  const [link, setLink] = useState<string | null>(null);
  const failed = (error: unknown) => toastFailure(error);

  const send = useAction({
    mutationFn: () => invite(family.id),
    onSuccess: async () => {
      toast({ title: "Invitation sent", description: `It is on its way to ${family.email}.` });
      await usersChanged();
    },
    onError: failed,
  });
  const copy = useAction({
    mutationFn: (copying: [url: Promise<string>, copied: Promise<boolean>]) => Promise.all(copying),
    onSuccess: async ([url, copied]) => {
      if (copied)
        toast({
          title: "Link copied!",
          description: `The invitation of ${nameOf(family)} works once. Earlier copied links no longer work.`,
        });
      else setLink(url);
      await usersChanged();
    },
    onError: failed,
  });
  function copyLink() {
    if (copy.isPending) return;
    const url = invitationLink(family.id).then((made) => made.url);
    copy.mutate([url, copyText(url)]);
  }
  return {
    send,
    copy: copyLink,
    copying: copy.isPending,
    manual: link && <LinkDialog link={link} onClose={() => setLink(null)} />,
  };
}

/** The link itself, to copy by hand or to share from a phone. */
function LinkDialog({ link, onClose }: { link: string; onClose: () => void }) {
  return (
    <Dialog title="Copy failed" onClose={onClose}>
      <Field label="Please copy the link manually." hint="It works once.">
        <TextInput readOnly dir="ltr" value={link} ref={focusOnMount} onFocus={(event) => event.target.select()} />
      </Field>
      {typeof navigator.share === "function" && (
        <Button
          look="line"
          icon="share"
          // Closing the share sheet is not an error.
          onClick={() => navigator.share({ url: link }).catch(() => undefined)}
          className="mt-4 w-full"
        >
          Share
        </Button>
      )}
    </Dialog>
  );
}

/** The invitation buttons in the drawer. */
export function InvitationButtons({ family }: { family: Family }) {
  const { send, copy, copying, manual } = useInvitation(family);
  return (
    <>
      {family.email && (
        <Button look="line" icon="mail" busy={send.isPending} onClick={() => send.mutate()}>
          {send.isPending ? "Sending..." : family.invited ? "Send invitation again" : "Invite"}
        </Button>
      )}
      <Button look="line" icon="link" busy={copying} onClick={copy}>
        Copy invitation link
      </Button>
      {manual}
    </>
  );
}

/** The same in the list, for families that have not signed up: two icons in a row, or two buttons on a card. */
export function RowInvitation({ family }: { family: Family }) {
  const { send, copy, copying, manual } = useInvitation(family);
  const whom = nameOf(family);
  const sent = send.isSuccess;
  return (
    <span className="flex gap-2 @max-4xl:order-last @max-4xl:flex-wrap @max-4xl:col-span-2 @max-4xl:pt-1 @4xl:gap-0">
      {family.email && (
        <RowButton
          icon={sent ? "check" : "mail"}
          label={sent ? "Sent" : family.invited ? "Invite again" : "Invite"}
          whom={whom}
          urgent={!family.invited || sent}
          busy={send.isPending}
          disabled={sent}
          onClick={() => send.mutate()}
        />
      )}
      <RowButton icon="link" label="Copy invitation link" whom={whom} busy={copying} onClick={copy} />
      {manual}
    </span>
  );
}

type RowButtonProps = {
  icon: IconName;
  /** The text on a card. A row shows only the icon. */
  label: string;
  whom: string;
  /** Whether nobody has invited this family yet. */
  urgent?: boolean;
  busy: boolean;
  disabled?: boolean;
  onClick: () => void;
};

const RowButton = ({ icon, label, whom, urgent, busy, disabled, onClick }: RowButtonProps) => (
  <button
    type="button"
    aria-label={`${label}: ${whom}`}
    title={label}
    aria-busy={busy || undefined}
    disabled={disabled}
    onClick={() => !busy && onClick()}
    className={cx(
      "inline-flex min-h-tap items-center justify-center gap-2 rounded-md text-sm transition-colors disabled:opacity-60 aria-busy:opacity-60",
      "@max-4xl:flex-auto @max-4xl:border @max-4xl:border-edge @max-4xl:px-3 @4xl:w-7.75 @4xl:text-base",
      "hover:bg-sunk hover:text-ink",
      urgent ? "text-pine" : "text-muted @max-4xl:text-ink",
    )}
  >
    <Icon name={icon} />
    <span className="@4xl:sr-only">{label}</span>
  </button>
);
