import { explain, explainOr } from "../../lib/forms";
import { errorToast } from "../../ui/toast";
import { requiresSignIn } from "./session";

/**
 * Shows why a call failed: the server's message, or the fallback if the server does not know the reason itself. An
 * ended session shows nothing here, because the sign-in dialog opens.
 */
export function toastFailure(error: unknown, fallback?: string) {
  if (requiresSignIn(error)) return;
  errorToast(fallback === undefined ? explain(error) : explainOr(error, fallback));
}

/** The same, but names what failed before the reason. */
export function toastFailureOf(what: string, error: unknown) {
  if (!requiresSignIn(error)) errorToast(`${what}: ${explain(error)}`);
}
