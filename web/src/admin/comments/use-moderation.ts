import { useState } from "react";
import { useAction } from "../../api/queries";
import { toastFailure } from "../shared/error-toast";
import { moderate, useCommentsChanged, type Action, type AdminComment } from "./queries";

export type Step = { comment: AdminComment; action: Action };

/** Carries out decisions about comments, one at a time. */
export function useModeration(onDone: (step: Step) => void) {
  const changed = useCommentsChanged();
  const [current, setCurrent] = useState<Step | null>(null);
  const mutation = useAction({
    mutationFn: ({ comment, action }: Step) => moderate(comment.id, action),
    onSuccess: async (_nothing, step) => {
      onDone(step);
      await changed();
    },
    onError: (error) => toastFailure(error),
    onSettled: () => setCurrent(null),
  });
  return {
    busyWith: ({ id }: AdminComment) => (current?.comment.id === id ? current.action : null),
    act(comment: AdminComment, action: Action) {
      if (mutation.isPending) return;
      setCurrent({ comment, action });
      mutation.mutate({ comment, action });
    },
  };
}
