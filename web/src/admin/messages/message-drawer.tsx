import { useEffect, useRef, useState } from "react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { explain, explainOr } from "../../lib/forms";
import { campDateTime } from "../../lib/format";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Drawer } from "../../ui/drawer";
import { Field, FormMessage, Select, TextArea } from "../../ui/field";
import { toast } from "../../ui/toast";
import { toastFailure } from "../shared/error-toast";
import { keepFocus } from "../shared/restore-focus";
import { isTurnedAway, useStaff } from "../shared/session";
import type { DraftState } from "./keep-draft";
import { keepReply } from "./keep-reply";
import { changeMessage, colleaguesQuery, deleteMessage, readMessage, replyTo, retryReplies, useMessagesChanged, type Message, type MessagePatch, type Reply } from "./queries";
import { StatusBadge } from "./status-badge";
import { deliveryName, departmentName, draftWords, senderName } from "./words";

type Props = { message: Message; timeZone: string; onChanged: (message: Message) => void; onClose: () => void };

/** A message in full, what the camp answered, and the answer that is being written. */
export function MessageDrawer({ message, timeZone, onChanged, onClose }: Props) {
  const me = useStaff();
  const messagesChanged = useMessagesChanged();
  const [deleting, setDeleting] = useState(false);
  const fresh = (now: Message) => {
    onChanged(now);
    void messagesChanged(now);
  };

  const change = useMutation({
    mutationFn: (patch: Partial<MessagePatch>) => changeMessage(message.id, patch),
    onSuccess: (now, patch) => {
      fresh(now);
      if (patch.spam !== undefined) toast(now.spam ? { title: "Marked as Spam", description: "It is out of the inbox." } : { title: "Not Spam", description: "It is back in the inbox." });
      else if (patch.assigned_to !== undefined) toast({ title: now.assigned_to ? `Assigned to ${now.assigned_to}` : "Assigned to nobody" });
      else toast({ title: now.status === "unread" ? "Marked as Unread" : "Marked as Read" });
    },
    onError: (error, patch) => {
      if (patch.assigned_to === undefined || !isApiError(error, "validation")) return toastFailure(error, "The message could not be changed.");
      // Somebody who was on the list has left meanwhile.
      void colleagues.refetch();
    },
  });
  const colleagues = useQuery(colleaguesQuery);
  const notAssigned = isApiError(change.error) ? change.error.fields["assigned_to"] : undefined;
  const names = [...new Set([me?.username, message.assigned_to, ...(colleagues.data ?? [])])].filter((name) => typeof name === "string");

  return (
    <Drawer title={<span dir="auto">{message.subject}</span>} onClose={onClose}>
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={message.status} />
        {message.spam && <Badge tone="bad" icon="flag">Spam</Badge>}
        <Badge>{departmentName[message.department]}</Badge>
        <time dateTime={message.created_at} className="text-sm text-muted">{campDateTime(message.created_at, timeZone)}</time>
      </div>
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1 text-sm [&_dt]:text-muted">
        <dt>From</dt>
        <dd><bdi className="font-medium">{message.name}</bdi> ({senderName[message.user_type]})</dd>
        <dt>Email</dt>
        <dd><a href={`mailto:${message.email}`} className="link wrap-anywhere"><bdi>{message.email}</bdi></a></dd>
        {message.child_name && <><dt>Child</dt><dd><bdi>{message.child_name}</bdi></dd></>}
      </dl>
      <p dir="auto" className="sheet mt-4 p-4 whitespace-pre-line">{message.message}</p>

      <div className="mt-3 flex flex-wrap items-center gap-x-2">
        <Button look="quiet" icon={message.status === "unread" ? "check" : "mail"} busy={change.isPending} onClick={() => change.mutate({ status: message.status === "unread" ? "read" : "unread" })} className="-ms-2.5">
          {message.status === "unread" ? "Mark as Read" : "Mark as Unread"}
        </Button>
        <Button look="quiet" icon="flag" busy={change.isPending} onClick={() => change.mutate({ spam: !message.spam })}>{message.spam ? "Not Spam" : "Mark as Spam"}</Button>
        <Button look="quiet" icon="trash" onClick={() => setDeleting(true)} className="text-clay! hover:bg-clay-wash!">Delete</Button>
      </div>
      <Field label="Assigned to" error={notAssigned} className="mt-3 max-w-64">
        <Select value={message.assigned_to ?? ""} disabled={change.isPending} onChange={(event) => change.mutate({ assigned_to: event.target.value || null })}>
          <option value="">Nobody</option>
          {names.map((name) => <option key={name} value={name}>{name === me?.username ? `${name} (me)` : name}</option>)}
        </Select>
      </Field>

      {message.replies.length > 0 && <Replies message={message} timeZone={timeZone} onFresh={fresh} />}
      <ReplyBox message={message} onFresh={fresh} onGone={() => void messagesChanged()} />

      {deleting && (
        <ConfirmDialog
          title={`Delete the message from ${message.name}?`}
          name={message.subject}
          action="Delete message"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            try {
              await deleteMessage(message.id);
            } catch (error) {
              if (!isApiError(error, "not_found")) throw error;
            }
            toast({ title: "Message Deleted" });
            onClose();
            void messagesChanged().then(keepFocus);
          }}
        >
          Its answers go with it. This cannot be undone.
        </ConfirmDialog>
      )}
    </Drawer>
  );
}

const deliveryTone: Record<Reply["delivery"], "info" | "good" | "bad"> = { queued: "info", sent: "good", failed: "bad" };

function Replies({ message, timeZone, onFresh }: { message: Message; timeZone: string; onFresh: (message: Message) => void }) {
  const retry = useMutation({
    mutationFn: () => retryReplies(message.id),
    onSuccess: (now) => {
      onFresh(now);
      toast({ title: "Success", description: "The reply goes out again" });
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
              <bdi className="font-medium">{reply.sent_by ?? "A former account"}</bdi>
              <time dateTime={reply.created_at} className="text-muted">{campDateTime(reply.created_at, timeZone)}</time>
              <Badge tone={deliveryTone[reply.delivery]} className="ms-auto bg-surface!">{deliveryName[reply.delivery]}</Badge>
            </p>
            <p dir="auto" className="mt-2 whitespace-pre-line">{reply.body}</p>
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

/** The reply box. What is typed into it is kept on the server as a draft, by itself. */
function ReplyBox({ message, onFresh, onGone }: { message: Message; onFresh: (message: Message) => void; onGone: () => void }) {
  const [text, setText] = useState(message.draft ?? "");
  const [state, setState] = useState<DraftState>("kept");
  const [failure, setFailure] = useState<string | null>(null);
  const [theirs, setTheirs] = useState<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);

  const [gone, setGone] = useState(false);
  const lost = () => {
    setGone(true);
    setFailure(null);
    onGone();
  };

  const [keeper] = useState(() => keepReply(message, { onState: setState, onFresh, onClash: setTheirs, onGone: lost }));
  useEffect(() => keeper.learn(message), [keeper, message]);
  // Closing the message does not lose the last words.
  useEffect(() => () => void keeper.flush(), [keeper]);

  function type(next: string) {
    setText(next);
    setFailure(null);
    // Until it is decided whose draft stays, neither overwrites the other.
    if (theirs === null && !gone) keeper.type(next);
  }

  const send = useMutation({
    mutationFn: async () => {
      await keeper.settle();
      return replyTo(message.id, text.trim(), keeper.seen());
    },
    onSuccess: (now) => {
      keeper.reset("");
      setText("");
      setTheirs(null);
      keeper.look(now);
      toast({ title: "Reply Sent", description: `It is on its way to ${message.name}.` });
      box.current?.focus();
    },
    onError: async (error) => {
      if (isApiError(error, "not_found")) return lost();
      if (isApiError(error, "answered", "drafted")) return forestalled(explain(error));
      keeper.type(text);
      if (!isTurnedAway(error)) setFailure((isApiError(error) && error.fields["body"]) || explainOr(error, "Failed to send the reply. Please try again."));
    },
  });

  /** Somebody else was quicker: what they wrote is shown before this goes out after all. */
  async function forestalled(why: string) {
    const now = await readMessage(message).catch(() => undefined);
    if (now === null) return lost();
    setFailure(now ? `${why} Press Send Reply again to send yours all the same.` : why);
    if (!now) return;
    keeper.look(now);
    keeper.reset(now.draft ?? "");
    const begun = now.draft && now.draft !== text.trim() ? now.draft : null;
    setTheirs(begun);
    if (begun === null) keeper.type(text);
  }

  async function saveDraft() {
    keeper.type(text);
    if (await keeper.flush()) toast({ title: "Draft Saved" });
  }

  function submit() {
    if (send.isPending) return;
    if (text.trim()) send.mutate();
    else {
      setFailure("Please write a reply first.");
      box.current?.focus();
    }
  }

  return (
    <section aria-label="Reply" className="mt-6 grid gap-3 border-t border-line pt-5">
      {gone && (
        <div role="alert" className="grid gap-3 rounded-md bg-amber-wash px-3.5 py-3 text-amber-text">
          <p>Somebody else has deleted this message.{text && " What you wrote cannot be sent any more; it is still here for you to copy."}</p>
          {text && <CopyText text={text} />}
        </div>
      )}
      {!gone && theirs !== null && (
        <div role="alert" className="grid gap-3 rounded-md bg-amber-wash px-3.5 py-3 text-amber-text">
          <p>Somebody else has begun an answer to this message:</p>
          <p dir="auto" className="rounded-sm bg-surface p-3 whitespace-pre-line text-ink">{theirs}</p>
          <div className="flex flex-wrap gap-3">
            <Button
              look="line"
              onClick={() => {
                setTheirs(null);
                keeper.type(text);
                void keeper.flush();
              }}
            >
              Keep mine
            </Button>
            <Button
              look="line"
              onClick={() => {
                setText(theirs);
                keeper.reset(theirs);
                setTheirs(null);
                box.current?.focus();
              }}
            >
              Take theirs
            </Button>
          </div>
        </div>
      )}
      <Field label="Your reply" error={failure} hint={mailedTo(message)}>
        <TextArea ref={box} name="body" dir="auto" rows={6} maxLength={10_000} value={text} onChange={(event) => type(event.target.value)} />
      </Field>
      {state === "failed" && theirs === null && !gone && <FormMessage>{draftWords.failed}</FormMessage>}
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-3 border-t border-line bg-paper px-5 py-3">
        <p role="status" className="me-auto text-sm text-muted">{!gone && theirs === null && state !== "failed" && (text || state !== "kept") ? draftWords[state] : ""}</p>
        <Button look="line" busy={state === "saving"} disabled={gone || theirs !== null} onClick={() => void saveDraft()}>Save Draft</Button>
        <Button icon="mail" busy={send.isPending} disabled={gone} onClick={submit}>{send.isPending ? "Sending..." : "Send Reply"}</Button>
      </div>
    </section>
  );
}

function mailedTo({ email, sender_proved }: Message) {
  return sender_proved
    ? `It is mailed to ${email}, with the message below it.`
    : `It is mailed to ${email} without their message: nobody was signed in with this address, so it may be somebody else's.`;
}

function CopyText({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast({ title: "Copy failed", description: "Please copy your text manually.", destructive: true });
    }
  }
  return <div><Button look="line" {...(copied ? { icon: "check" as const } : {})} onClick={copy}>{copied ? "Copied" : "Copy my text"}</Button></div>;
}
