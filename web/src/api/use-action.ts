import { useId, useRef } from "react";
import { useMutation, type UseMutationOptions } from "@tanstack/react-query";
import { dismissErrors, reportFailure } from "../ui/toast";

/** {@link useMutation}, but its error toasts disappear as soon as the same action is tried again. */
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

/** Starts an action unless it is running, because the second press of a double click comes before the next render. */
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
