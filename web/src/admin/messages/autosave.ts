export type AutosaveState = "kept" | "typing" | "saving" | "failed";

type Options = {
  kept: string;
  save: (text: string) => Promise<unknown>;
  onState: (state: AutosaveState) => void;
  wait?: number;
};

/** The delay between the last key and the save, in milliseconds. */
export const pauseInTyping = 1_200;

/**
 * Saves a draft on the server shortly after typing stops, one request at a time. After a failure it tries again at the
 * next key press, or when it is asked to.
 */
export function autosave({ kept, save, onState, wait = pauseInTyping }: Options) {
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

  /** Saves whatever is not saved yet. Returns true once everything is saved. */
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
      // The saved text was typed again, so there is nothing to save.
      if (typed === saved && !running) return onState("kept");
      if (!running) onState("typing");
      timer = setTimeout(() => void flush(), wait);
    },
    flush,
    /** Whether something is not saved yet. */
    unsaved: () => typed !== saved,
    /** Waits for a running save and starts no new one, because the text is about to be sent. */
    async settle() {
      clearTimeout(timer);
      typed = saved;
      await running;
    },
    /** Call once the server has this text. */
    reset(text: string) {
      clearTimeout(timer);
      saved = typed = text;
      onState("kept");
    },
  };
}
