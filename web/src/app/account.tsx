import type { SessionUser } from "../api/client";
import { initials } from "../lib/initials";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Avatar } from "../ui/avatar";
import { IconButton } from "../ui/button";
import { useSignOut } from "./use-sign-out";

/** The signed-in person, in the header. */
export function Account({ user }: { user: SessionUser }) {
  const signOut = useSignOut("Failed to sign out");
  return (
    <span className="flex items-center gap-1">
      <UserLink user={user} />
      <IconButton icon="signOut" label="Sign Out" onClick={() => signOut.mutate()} className="-me-3 max-xl:hidden" />
    </span>
  );
}

function UserLink({ user }: { user: SessionUser }) {
  const name = user.display_name || "User";
  return (
    <Link
      to={paths.profile}
      className="flex min-h-tap items-center gap-2.5 rounded-md text-end leading-tight text-ink no-underline hover:[&_small]:underline"
    >
      <span className="max-md:sr-only">
        <span className="block max-w-[min(11rem,max(9vw,80rem-100vw))] truncate text-sm font-medium">
          <bdi>{name}</bdi>
        </span>{" "}
        <small className="block text-xs text-muted">View Profile</small>
      </span>
      <Avatar initials={initials(name)} />
    </Link>
  );
}
