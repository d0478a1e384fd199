import { useId, useRef } from "react";
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { dismissErrors, reportFailure } from "../ui/toast";

/** {@link useMutation} whose error toasts go as soon as the same action is tried again. */
export function useAction<Data, Variables = void, Before = unknown>(
  options: UseMutationOptions<Data, Error, Variables, Before>,
) {
  const action = useId();
  return useMutation({
    ...options,
    onMutate: (...args) => {
      dismissErrors(action);
      return options.onMutate?.(...args) as Before;
    },
    onError: (...args) => reportFailure(action, () => options.onError?.(...args)),
  });
}

/** Starts an action unless it is running: the second press of a double click is faster than the next rendering. */
export function useOnce<Variables>(action: {
  mutate: (variables: Variables, options: { onSettled: () => void }) => void;
}) {
  const running = useRef(false);
  return (variables: Variables) => {
    if (running.current) return;
    running.current = true;
    action.mutate(variables, {
      onSettled: () => {
        running.current = false;
      },
    });
  };
}
