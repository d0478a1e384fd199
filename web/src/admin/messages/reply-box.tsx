import { useEffect, useRef, useState } from "react";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { explain, explainOr } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Field, FormMessage, TextArea } from "../../ui/field";
import { OwnLines } from "../../ui/own-lines";
import { toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import type { AutosaveState } from "./autosave";
import { keepReply } from "./keep-reply";
import { readMessage, replyTo, type Message } from "./queries";
import { draftWords } from "./words";

/** The reply box. The server keeps what is typed as a draft. */
export function ReplyBox({ message, reply }: { message: Message; reply: ReplyText }) {
  const { text, type, state, failure, theirs, gone, box, saveDraft, keepMine, takeTheirs } = reply;
  const { sending, submit } = useSendReply(message, reply);
  return (
    <section aria-label="Reply" className="contents">
      <div className="mt-6 grid gap-3 border-t border-line pt-5 pb-3">
        {gone && <MessageGone text={text} />}
        {!gone && theirs !== null && <DraftConflict theirs={theirs} onKeepMine={keepMine} onTakeTheirs={takeTheirs} />}
        <Field label="Your reply" error={failure} hint={mailedTo(message)}>
          <TextArea
            ref={box}
            name="body"
            dir="auto"
            rows={6}
            maxLength={10_000}
            value={text}
            onChange={(event) => type(event.target.value)}
          />
        </Field>
        {state === "failed" && theirs === null && !gone && <FormMessage>{draftWords.failed}</FormMessage>}
      </div>
      {/* The whole drawer contains this bar, so it stays in view below a long message. */}
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-3 border-t border-line bg-paper px-5 py-3">
        <p role="status" className="me-auto text-sm text-muted">
          {!gone && theirs === null && state !== "failed" && (text || state !== "kept") ? draftWords[state] : ""}
        </p>
        <Button
          look="line"
          busy={state === "saving"}
          disabled={gone || theirs !== null}
          onClick={() => void saveDraft()}
        >
          Save Draft
        </Button>
        <Button icon="mail" busy={sending} disabled={gone} onClick={submit}>
          {sending ? "Sending..." : "Send Reply"}
        </Button>
      </div>
    </section>
  );
}

type Props = { message: Message; onFresh: (message: Message) => void; onGone: () => void };
type ReplyText = ReturnType<typeof useReplyText>;

/** The text of the reply, which is kept as a draft, and what somebody else has written or deleted since. */
export function useReplyText({ message, onFresh, onGone }: Props) {
  const [text, setText] = useState(message.draft ?? "");
  const [state, setState] = useState<AutosaveState>("kept");
  const [failure, setFailure] = useState<string | null>(null);
  const [theirs, setTheirs] = useState<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [gone, setGone] = useState(false);
  const lost = () => {
    setGone(true);
    setFailure(null);
    onGone();
  };

  const [autosave] = useState(() =>
    keepReply(message, { onState: setState, onFresh, onClash: setTheirs, onGone: lost }),
  );
  useEffect(() => autosave.learn(message), [autosave, message]);
  // Saves the draft when the message closes.
  useEffect(() => () => void autosave.flush(), [autosave]);

  function type(next: string) {
    setText(next);
    setFailure(null);
    // While it is undecided whose draft to keep, nothing is saved.
    if (theirs === null && !gone) autosave.type(next);
  }

  function keepMine() {
    setTheirs(null);
    autosave.decide();
    autosave.type(text);
    void autosave.flush();
  }

  function takeTheirs() {
    if (theirs === null) return;
    setText(theirs);
    autosave.decide();
    autosave.reset(theirs);
    setTheirs(null);
    box.current?.focus();
  }

  async function saveDraft() {
    autosave.type(text);
    if (await autosave.flush()) toast({ title: "Draft Saved" });
  }

  /** Whether closing would lose something. */
  function unsaved() {
    if (gone) return text.trim() !== "";
    return theirs === null ? autosave.unsaved() : text.trim() !== theirs;
  }

  return {
    text,
    setText,
    type,
    state,
    failure,
    setFailure,
    theirs,
    setTheirs,
    gone,
    lost,
    box,
    autosave,
    keepMine,
    takeTheirs,
    saveDraft,
    unsaved,
  };
}

/** Sends the reply, unless somebody else replied first. */
function useSendReply(message: Message, reply: ReplyText) {
  const { text, setText, setFailure, setTheirs, lost, box, autosave } = reply;
  const send = useAction({
    mutationFn: async () => {
      await autosave.settle();
      return replyTo(message.id, text.trim(), autosave.seen());
    },
    onSuccess: (now) => {
      autosave.reset("");
      setText("");
      setTheirs(null);
      autosave.look(now);
      toast({ title: "Reply Sent", description: `It is on its way to ${message.name}.` });
      box.current?.focus();
    },
    onError: async (error) => {
      if (isApiError(error, "not_found")) return lost();
      if (isApiError(error, "answered", "drafted")) return forestalled(explain(error));
      autosave.type(text);
      if (!requiresSignIn(error))
        setFailure(
          (isApiError(error) && error.fields["body"]) ||
            explainOr(error, "Failed to send the reply. Please try again."),
        );
    },
  });

  /** Somebody else replied first, so this shows their reply before the writer can send. */
  async function forestalled(why: string) {
    const now = await readMessage(message).catch(() => undefined);
    if (now === null) return lost();
    setFailure(now ? `${why} Press Send Reply again to send yours anyway.` : why);
    if (!now) return;
    autosave.look(now);
    autosave.reset(now.draft ?? "");
    const begun = now.draft && now.draft !== text.trim() ? now.draft : null;
    setTheirs(begun);
    if (begun === null) autosave.type(text);
  }

  function submit() {
    if (send.isPending) return;
    if (text.trim()) send.mutate();
    else {
      setFailure("Please write a reply first.");
      box.current?.focus();
    }
  }

  return { sending: send.isPending, submit };
}

function mailedTo({ email, sender_proved }: Message) {
  return sender_proved
    ? `We email it to ${email}, with their message below.`
    : `We email it to ${email} without their message: the sender was not signed in with this address, so it may be someone else's.`;
}

const notice = "grid gap-3 rounded-md bg-due-wash px-3.5 py-3 text-due";

const MessageGone = ({ text }: { text: string }) => (
  <div role="alert" className={notice}>
    <p>
      Someone else deleted this message.
      {text && " What you wrote can’t be sent anymore, but you can still copy it."}
    </p>
    {text && <CopyText text={text} />}
  </div>
);

const DraftConflict = ({
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  theirs: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) => (
  <div role="alert" className={notice}>
    <p>Someone else started a reply to this message:</p>
    <p className="rounded-sm bg-surface p-3 text-ink">
      <OwnLines text={theirs} />
    </p>
    <div className="flex flex-wrap gap-3">
      <Button look="line" onClick={onKeepMine}>
        Keep mine
      </Button>
      <Button look="line" onClick={onTakeTheirs}>
        Use theirs
      </Button>
    </div>
  </div>
);

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
  return (
    <div>
      <Button look="line" {...(copied ? { icon: "check" as const } : {})} onClick={copy}>
        {copied ? "Copied" : "Copy my text"}
      </Button>
    </div>
  );
}
