import { isApiError, type ApiError } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { accessMessage } from "../lib/access-message";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { Icon } from "../ui/icon";

export const isRestricted = (error: unknown): error is ApiError =>
  isApiError(error, "sign_in_required", "families_only", "awaiting_approval");

/** Says why the updates are not visible, and how to get access. */
export function Restricted({ error, back }: { error: ApiError; back: string }) {
  const { user } = useSession();
  const site = useSite();
  return (
    <div className="sheet grid justify-items-center gap-3 px-5 py-8 text-center">
      <Icon name="lock" className="size-8 text-pine" />
      <p className="max-w-[52ch]">{accessMessage(error.code, site) ?? error.message}</p>
      {user ? (
        <Link to={paths.contact} className={buttonLook("line")}>
          Write to the camp
        </Link>
      ) : (
        <div className="flex flex-wrap justify-center gap-3">
          <Link to={paths.auth(back)} className={buttonLook()}>
            Sign In
          </Link>
          {site?.registrations_open !== false && (
            <Link to={paths.signUp(back)} className={buttonLook("line")}>
              Create Account
            </Link>
          )}
        </div>
      )}
    </div>
  );
}
