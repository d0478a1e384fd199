import { useEffect, useRef } from "react";
import type { SessionUser } from "../api/client";
import { useSession } from "../api/queries";
import { initials } from "../lib/format";
import { Link, NavLink, usePathname, useSearch } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Avatar } from "../ui/avatar";
import { buttonLook, IconButton } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { Logo } from "./logo";
import { mainNav } from "./nav";
import { ThemeSwitch } from "./theme";
import { useSignOut } from "./use-sign-out";

export function Header() {
  const { user, pending } = useSession();
  const pathname = usePathname();
  const search = useSearch();
  const signOut = useSignOut("Failed to sign out");
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-paper">
      <div className="wrap flex min-h-16 items-center gap-2 sm:gap-3 xl:gap-5">
        <Logo />
        <nav aria-label="Main" className="mx-auto hidden gap-0.5 xl:flex">
          {mainNav.map(({ label, to }) => (
            <NavLink key={to} to={to} end className={navLook}>
              {label}
            </NavLink>
          ))}
        </nav>
        <a href={paths.admin.login} className={buttonLook("quiet", "hidden! xl:inline-flex!")}>
          Staff
        </a>
        <div className="ms-auto shrink-0 xl:ms-0">
          {user ? (
            <span className="flex items-center gap-1">
              <UserLink user={user} />
              <IconButton
                icon="signOut"
                label="Sign Out"
                onClick={() => signOut.mutate()}
                className="-me-3 max-xl:hidden"
              />
            </span>
          ) : (
            <Link
              to={paths.auth(pathname.startsWith("/auth") ? undefined : pathname + search)}
              className={buttonLook("line", cx("whitespace-nowrap max-sm:px-3", pending && "invisible"))}
            >
              Sign In
            </Link>
          )}
        </div>
        <MobileMenu onSignOut={user ? () => signOut.mutate() : null} />
      </div>
    </header>
  );
}

const navLook = ({ isActive }: { isActive: boolean }) =>
  cx(
    "relative flex min-h-tap items-center rounded-sm px-2 text-[0.95rem] whitespace-nowrap text-ink no-underline hover:bg-sunk",
    isActive &&
      "font-medium after:absolute after:inset-x-2 after:-bottom-[11px] after:h-[3px] after:rounded-t-[3px] after:bg-amber",
  );

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

function MobileMenu({ onSignOut }: { onSignOut: (() => void) | null }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pathname = usePathname();
  const close = () => dialog.current?.close();

  // Closes an open menu after Back and Forward.
  useEffect(close, [pathname]);

  return (
    <div className="-me-2 xl:hidden">
      <IconButton icon="menu" label="Open menu" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()} />
      <dialog
        ref={dialog}
        aria-label="Menu"
        onClick={(event) => event.target === dialog.current && close()}
        className="m-0 ms-auto h-dvh max-h-none w-[min(20rem,86vw)] border-s border-line bg-paper p-0 open:flex open:flex-col"
      >
        <div className="flex min-h-16 items-center justify-between border-b border-line ps-5 pe-2">
          <span className="font-head text-xl">Menu</span>
          <IconButton icon="close" label="Close menu" onClick={close} />
        </div>
        <nav aria-label="Menu" className="grid flex-1 content-start p-3">
          {mainNav.map(({ label, to }) => (
            <NavLink
              key={to}
              to={to}
              end
              onClick={close}
              className={({ isActive }) =>
                cx(
                  "flex min-h-13 items-center rounded-md border-s-3 px-3.5 text-lg text-ink no-underline hover:bg-sunk",
                  isActive ? "border-amber bg-pine-wash font-medium text-pine" : "border-transparent",
                )
              }
            >
              {label}
            </NavLink>
          ))}
          <a
            href={paths.admin.login}
            className="mt-3 flex min-h-13 items-center gap-3 rounded-md px-4 text-pine no-underline hover:bg-sunk"
          >
            <Icon name="key" />
            Staff Access
          </a>
          {onSignOut && (
            <button
              type="button"
              onClick={() => {
                close();
                onSignOut();
              }}
              className="flex min-h-13 items-center gap-3 rounded-md px-4 text-start text-ink hover:bg-sunk"
            >
              <Icon name="signOut" />
              Sign Out
            </button>
          )}
        </nav>
        <div className="flex items-center justify-between gap-3 border-t border-line p-5">
          <span className="text-sm text-muted">Theme</span>
          <ThemeSwitch />
        </div>
      </dialog>
    </div>
  );
}
