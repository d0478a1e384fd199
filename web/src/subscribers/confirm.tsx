import { useAction, useOnce } from "../api/use-action";
import { isApiError } from "../api/client";
import { explain } from "../lib/forms";
import { Link } from "../lib/navigation";
import { useSearchParams } from "../lib/address";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { FormMessage } from "../ui/field";
import { SmallSheet } from "../ui/small-sheet";
import { confirmSubscription } from "./queries";
import "../ui/more-icons";

/** Mail scanners follow links, so only pressing the button adds the address to the list. */
export default function ConfirmSubscription() {
  const [params] = useSearchParams();
  const token = params.get("token") ?? "";
  const confirm = useAction({ mutationFn: () => confirmSubscription(token) });
  const confirmOnce = useOnce(confirm);

  return (
    <SmallSheet title={confirm.isSuccess ? "You are on the list" : "Stay Updated"}>
      <PageMeta title="Stay Updated" description="Confirm that you want newsletters from camp." />
      {confirm.isSuccess ? (
        <>
          <p role="status">Thank you. You will get our next newsletter. Each one has a link to unsubscribe.</p>
          <Link to={paths.home} className={buttonLook()}>
            Return to Home
          </Link>
        </>
      ) : token === "" ? (
        <FormMessage>This link is incomplete. Please open it again from the email.</FormMessage>
      ) : (
        <>
          <p className="text-muted">Tap to confirm that you want newsletters from camp.</p>
          <FormMessage>{confirm.error && explain(confirm.error)}</FormMessage>
          {isApiError(confirm.error, "gone") ? (
            <p className="text-sm text-muted">You can get a new link at the bottom of this page.</p>
          ) : (
            <Button busy={confirm.isPending} onClick={() => confirmOnce()}>
              {confirm.isPending ? "Confirming..." : "Yes, sign me up"}
            </Button>
          )}
        </>
      )}
    </SmallSheet>
  );
}
