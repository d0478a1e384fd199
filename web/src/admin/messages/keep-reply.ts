import { isApiError } from "../../api/client";
import { autosave, type AutosaveState } from "./autosave";
import { changeMessage, readMessage, type Message, type Seen } from "./queries";

type Told = {
  onState: (state: AutosaveState) => void;
  onFresh: (message: Message) => void;
  onClash: (theirs: string) => void;
  onGone: () => void;
};

const lastReply = ({ replies }: Message) => replies.at(-1)?.id ?? null;

/** Saves the draft of a reply, but never overwrites one that somebody else wrote meanwhile. */
export function keepReply(message: Message, { onState, onFresh, onClash, onGone }: Told) {
  let known = message;
  let seenReply = lastReply(message);
  // Nothing is saved until the writer has decided whose draft stays.
  let undecided = false;

  async function save(text: string) {
    if (undecided) throw new Error("It is not decided whose draft stays.");
    const draft = text.trim() || null;
    try {
      keep(await changeMessage(message.id, { version: known.version, draft }));
    } catch (error) {
      if (isApiError(error, "not_found")) onGone();
      if (!isApiError(error, "stale")) throw error;
      const now = await readMessage(message);
      if (!now) {
        onGone();
        throw error;
      }
      const clash = now.draft && now.draft !== known.draft;
      keep(now);
      if (clash) {
        undecided = true;
        onClash(now.draft!);
        throw error;
      }
      keep(await changeMessage(message.id, { version: now.version, draft }));
    }
  }

  function keep(now: Message) {
    known = now;
    onFresh(now);
  }

  return {
    ...autosave({ kept: message.draft ?? "", save, onState }),
    /** I changed something else about the message: takes its new version while the draft is the one that I know. */
    learn(now: Message) {
      if (now.version > known.version && (now.draft ?? null) === (known.draft ?? null)) known = now;
    },
    /** Call when the writer has decided whose draft stays. */
    decide() {
      undecided = false;
    },
    /** What the writer has seen. A reply that arrived while they typed does not count. */
    seen: (): Seen => ({ last_reply: seenReply, draft: known.draft ?? null }),
    /** Call when the writer has seen everything that others wrote. */
    look(now: Message) {
      undecided = false;
      seenReply = lastReply(now);
      keep(now);
    },
  };
}
