import { useId, useState } from "react";
import { isApiError } from "../../api/client";
import { useAction } from "../../api/use-action";
import { toastFailure } from "../shared/error-toast";
import { moderate, useCommentsChanged, type Action, type AdminComment } from "./queries";

export type Step = { comment: AdminComment; action: Action };

/** Sends decisions about comments one at a time. Keys may be faster than the server, and no decision is lost. */
export function useModeration(onDone: (step: Step) => void) {
  const changed = useCommentsChanged();
  const [waiting, setWaiting] = useState<Step[]>([]);
  const mutation = useAction({
    scope: { id: useId() },
    mutationFn: ({ comment, action }: Step) => moderate(comment, action),
    onSuccess: async (_nothing, step) => {
      onDone(step);
      await changed();
    },
    onError: (error) => {
      toastFailure(error);
      // Somebody else decided, deleted or reported in the meantime, so this shows the current state.
      if (isApiError(error, "conflict", "not_found")) void changed();
    },
    onSettled: (_nothing, _error, done) => setWaiting((steps) => steps.filter((step) => step !== done)),
  });
  const find = ({ id }: AdminComment) => waiting.find(({ comment }) => comment.id === id);
  return {
    /** The newest decision that the server has not confirmed yet. */
    newest: waiting.at(-1),
    busyWith: (comment: AdminComment) => find(comment)?.action ?? null,
    act(comment: AdminComment, action: Action) {
      if (find(comment)?.action === action) return;
      const step = { comment, action };
      setWaiting((steps) => [...steps, step]);
      mutation.mutate(step);
    },
  };
}
