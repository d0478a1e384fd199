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

/** Saves the draft of a reply, but never overwrites a draft that somebody else has written since. */
export function keepReply(message: Message, { onState, onFresh, onClash, onGone }: Told) {
  let known = message;
  let seenReply = lastReply(message);
  // While the writer has not decided whose draft to keep, nothing is saved.
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
    /**
     * Call after this page changed something else about the message. Takes the new version if its draft is still the
     * known one.
     */
    learn(now: Message) {
      if (now.version > known.version && (now.draft ?? null) === (known.draft ?? null)) known = now;
    },
    /** Call once the writer has decided whose draft to keep. */
    decide() {
      undecided = false;
    },
    /** What the writer has seen. A reply that arrived while they were typing does not count. */
    seen: (): Seen => ({ last_reply: seenReply, draft: known.draft ?? null }),
    /** Call once the writer has seen everything that others wrote. */
    look(now: Message) {
      undecided = false;
      seenReply = lastReply(now);
      keep(now);
    },
  };
}
