import { explainOr } from "../../lib/forms";
import { toast } from "../../ui/toast";
import { isTurnedAway } from "./session";

/** Says in passing why something failed: in the server's words, or else in these. At the door nothing is said. */
export function toastFailure(error: unknown, fallback: string) {
  if (isTurnedAway(error)) return;
  toast({ title: "Error", description: explainOr(error, fallback), destructive: true });
}
