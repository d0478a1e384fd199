export type DraftState = "kept" | "typing" | "saving" | "failed";

type Options = {
  kept: string;
  save: (text: string) => Promise<unknown>;
  onState: (state: DraftState) => void;
  wait?: number;
};

/** How soon after the last key a draft is saved. */
export const pauseInTyping = 1_200;

/**
 * Keeps what is being typed on the server: shortly after the typing stops, one save at a time, and after a failure
 * with the next key or when asked to.
 */
export function keepDraft({ kept, save, onState, wait = pauseInTyping }: Options) {
  let saved = kept;
  let typed = kept;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<boolean> | null = null;

  async function run(): Promise<boolean> {
    onState("saving");
    while (typed !== saved) {
      const text = typed;
      try {
        await save(text);
        saved = text;
      } catch {
        onState("failed");
        return false;
      }
    }
    onState("kept");
    return true;
  }

  /** Saves now what is not saved yet. True when all of it is. */
  function flush(): Promise<boolean> {
    clearTimeout(timer);
    if (running) return running.then((good) => good && (typed === saved || flush()));
    if (typed === saved) return Promise.resolve(true);
    running = run().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    type(text: string) {
      typed = text;
      clearTimeout(timer);
      // Whoever types the word back that stood there has nothing to save.
      if (typed === saved && !running) return onState("kept");
      if (!running) onState("typing");
      timer = setTimeout(() => void flush(), wait);
    },
    flush,
    /** Waits for a save under way and begins none: the text is about to be sent. */
    async settle() {
      clearTimeout(timer);
      typed = saved;
      await running;
    },
    /** The server holds this now. */
    reset(text: string) {
      clearTimeout(timer);
      saved = typed = text;
      onState("kept");
    },
  };
}
