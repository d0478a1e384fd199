import { useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { campDateTime } from "../../lib/moments";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { directionOf } from "../../ui/direction";
import { Drawer } from "../../ui/drawer";
import { Field, Select } from "../../ui/field";
import { LinkedText } from "../../ui/linked-text";
import { OwnLines } from "../../ui/own-lines";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { useCloseQuestion } from "../shared/form";
import { restoreFocus } from "../../ui/focus";
import { ignoreNotFound } from "../shared/missing-records";
import { useStaff } from "../shared/session";
import {
  changeMessage,
  colleaguesQuery,
  deleteMessage,
  retryReplies,
  useMessagesChanged,
  type Message,
  type MessagePatch,
  type Reply,
} from "./queries";
import { ReplyBox, useReplyText } from "./reply-box";
import { StatusBadge } from "./status-badge";
import { deliveryName, departmentName, senderName } from "./words";

type Props = { message: Message; timeZone: string; onChanged: (message: Message) => void; onClose: () => void };

/** A message with its replies and the reply that is being written. */
export function MessageDrawer({ message, timeZone, onChanged, onClose }: Props) {
  const messagesChanged = useMessagesChanged();
  const [deleting, setDeleting] = useState(false);
  const fresh = (now: Message) => {
    onChanged(now);
    void messagesChanged(now);
  };

  const { change, refused } = useMessageChange(message, fresh);
  const reply = useReplyText({ message, onFresh: fresh, onGone: () => void messagesChanged() });
  const { close, question } = useCloseQuestion(
    { name: "Your reply", onClose, ownEntry: true, save: reply.autosave.flush },
    reply.unsaved,
  );

  return (
    <Drawer title={<span dir={directionOf(message.subject)}>{message.subject}</span>} onClose={close}>
      <Facts message={message} timeZone={timeZone} />

      <Actions message={message} busy={change.isPending} onChange={change.mutate} onDelete={() => setDeleting(true)} />
      <AssignedTo
        message={message}
        busy={change.isPending}
        refused={refused}
        onAssign={(name) => change.mutate({ assigned_to: name })}
      />

      {message.replies.length > 0 && <Replies message={message} timeZone={timeZone} onFresh={fresh} />}
      <ReplyBox message={message} reply={reply} />

      {deleting && (
        <DeleteMessage
          message={message}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            onClose();
            void messagesChanged().then(restoreFocus);
          }}
        />
      )}
      {question}
    </Drawer>
  );
}

/** Changes the message and confirms what was done. */
function useMessageChange(message: Message, onChanged: (message: Message) => void) {
  const client = useQueryClient();
  const change = useAction({
    mutationFn: (patch: MessagePatch) => changeMessage(message.id, patch),
    onSuccess: (now, patch) => {
      onChanged(now);
      toast(changeToast(now, patch));
    },
    onError: (error, patch) => {
      if (patch.assigned_to === undefined || !isApiError(error, "validation"))
        return toastFailure(error, "The message could not be changed.");
      // The colleague's account has been deleted since.
      void client.invalidateQueries({ queryKey: colleaguesQuery.queryKey });
    },
  });
  const refused = isApiError(change.error) ? change.error.fields["assigned_to"] : undefined;
  return { change, refused };
}

function changeToast(now: Message, patch: MessagePatch) {
  if (patch.spam !== undefined)
    return now.spam
      ? { title: "Marked as Spam", description: "It is no longer in the inbox." }
      : { title: "Not Spam", description: "It is back in the inbox." };
  if (patch.assigned_to !== undefined)
    return { title: now.assigned_to ? `Assigned to ${now.assigned_to}` : "Assigned to nobody" };
  return { title: now.status === "unread" ? "Marked as Unread" : "Marked as Read" };
}

/** Who wrote the message, when, and what it says. */
const Facts = ({ message, timeZone }: { message: Message; timeZone: string }) => (
  <>
    <div className="flex flex-wrap items-center gap-2">
      <StatusBadge status={message.status} />
      {message.spam && (
        <Badge tone="bad" icon="flag">
          Spam
        </Badge>
      )}
      <Badge>{departmentName[message.department]}</Badge>
      <time dateTime={message.created_at} className="text-sm text-muted">
        {campDateTime(message.created_at, timeZone)}
      </time>
    </div>
    <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1 text-sm [&_dt]:text-muted">
      <dt>From</dt>
      <dd>
        <bdi className="font-medium">{message.name}</bdi> ({senderName[message.user_type]})
      </dd>
      <dt>Email</dt>
      <dd>
        <a href={`mailto:${message.email}`} className="link wrap-anywhere">
          <bdi>{message.email}</bdi>
        </a>
      </dd>
      {message.child_name && (
        <>
          <dt>Child</dt>
          <dd>
            <bdi>{message.child_name}</bdi>
          </dd>
        </>
      )}
    </dl>
    <p className="sheet mt-4 p-4">
      <OwnLines text={message.message} />
    </p>
  </>
);

type ActionsProps = {
  message: Message;
  busy: boolean;
  onChange: (patch: MessagePatch) => void;
  onDelete: () => void;
};

const Actions = ({ message, busy, onChange, onDelete }: ActionsProps) => (
  <div className="mt-3 -ms-2.5 flex flex-wrap items-center gap-x-2">
    <Button
      look="quiet"
      icon={message.status === "unread" ? "check" : "mail"}
      busy={busy}
      onClick={() => onChange({ status: message.status === "unread" ? "read" : "unread" })}
    >
      {message.status === "unread" ? "Mark as Read" : "Mark as Unread"}
    </Button>
    <Button look="quiet" icon="flag" busy={busy} onClick={() => onChange({ spam: !message.spam })}>
      {message.spam ? "Not Spam" : "Mark as Spam"}
    </Button>
    <Button look="quiet" icon="trash" onClick={onDelete} className="text-clay! hover:bg-clay-wash!">
      Delete
    </Button>
  </div>
);

type AssignedToProps = {
  message: Message;
  busy: boolean;
  refused: string | undefined;
  onAssign: (name: string | null) => void;
};

function AssignedTo({ message, busy, refused, onAssign }: AssignedToProps) {
  const me = useStaff();
  const colleagues = useQuery(colleaguesQuery).data ?? [];
  const names = [...new Set([me?.username, message.assigned_to, ...colleagues])].filter(
    (name) => typeof name === "string",
  );
  return (
    <Field label="Assigned to" error={refused} className="mt-3 max-w-64">
      <Select
        value={message.assigned_to ?? ""}
        disabled={busy}
        onChange={(event) => onAssign(event.target.value || null)}
      >
        <option value="">Nobody</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name === me?.username ? `${name} (me)` : name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

type DeleteProps = { message: Message; onClose: () => void; onDeleted: () => void };

const DeleteMessage = ({ message, onClose, onDeleted }: DeleteProps) => (
  <ConfirmDialog
    title={`Delete the message from ${message.name}?`}
    name={message.subject}
    action="Delete message"
    onClose={onClose}
    onConfirm={async () => {
      await ignoreNotFound(deleteMessage(message.id));
      toast({ title: "Message Deleted" });
      onDeleted();
    }}
  >
    Your replies to it are deleted too. This cannot be undone.
  </ConfirmDialog>
);

const deliveryTone: Record<Reply["delivery"], "info" | "good" | "bad"> = {
  queued: "info",
  sent: "good",
  failed: "bad",
};

function Replies({
  message,
  timeZone,
  onFresh,
}: {
  message: Message;
  timeZone: string;
  onFresh: (message: Message) => void;
}) {
  const retry = useAction({
    mutationFn: () => retryReplies(message.id),
    onSuccess: (now) => {
      onFresh(now);
      toast({ title: "Success", description: "The reply is on its way again" });
    },
    onError: (error) => toastFailure(error, "The reply could not be sent again."),
  });
  return (
    <section aria-labelledby="replies" className="mt-6 border-t border-line pt-5">
      <h3 id="replies">Replies</h3>
      <ol className="mt-3 grid gap-3">
        {message.replies.map((reply) => (
          <li key={reply.id} className="rounded-md bg-pine-wash p-4">
            <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
              <bdi className="font-medium">{reply.sent_by ?? "A deleted account"}</bdi>
              <time dateTime={reply.created_at} className="text-muted">
                {campDateTime(reply.created_at, timeZone)}
              </time>
              <Badge tone={deliveryTone[reply.delivery]} className="ms-auto bg-surface!">
                {deliveryName[reply.delivery]}
              </Badge>
            </p>
            <p className="mt-2">
              <OwnLines text={reply.body}>{(text) => <LinkedText text={text} />}</OwnLines>
            </p>
          </li>
        ))}
      </ol>
      {message.replies.some(({ delivery }) => delivery === "failed") && (
        <Button look="line" icon="refresh" busy={retry.isPending} onClick={() => retry.mutate()} className="mt-3">
          {retry.isPending ? "Retrying..." : "Send failed reply again"}
        </Button>
      )}
    </section>
  );
}
