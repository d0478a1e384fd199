import { Link } from "react-router";
import { isApiError, type ApiError } from "../api/client";
import { useSession } from "../api/queries";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";

export const isRestricted = (error: unknown): error is ApiError => isApiError(error, "sign_in_required", "families_only", "awaiting_approval");

/** Why somebody may not read the updates, in the server's words, and what opens them. */
export function Restricted({ error, back }: { error: ApiError; back: string }) {
  const { user } = useSession();
  return (
    <div className="sheet grid justify-items-center gap-3 px-5 py-8 text-center">
      <Icon name="lock" className="size-8 text-pine" />
      <p className="max-w-[52ch]">{error.message}</p>
      {!user && <Link to={paths.auth(back)} className={buttonLook()}>Sign In</Link>}
    </div>
  );
}
