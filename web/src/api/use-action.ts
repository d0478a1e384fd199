import { useId } from "react";
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
