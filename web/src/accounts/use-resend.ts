import { useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../api/client";
import { sessionQuery } from "../api/queries";
import { useAction } from "../api/use-action";
import { explain } from "../lib/forms";
import { errorToast, toast } from "../ui/toast";
import { resendConfirmation } from "./queries";

/** Sends the email that confirms an address again. */
export function useResend(email: string) {
  const client = useQueryClient();
  return useAction({
    mutationFn: resendConfirmation,
    onSuccess: () => toast({ title: "Confirmation sent", description: `We emailed ${email} again.` }),
    onError: (error) => {
      if (!isApiError(error, "conflict")) return errorToast(explain(error));
      // The address has been confirmed since, perhaps on another device.
      toast({ title: error.message });
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
