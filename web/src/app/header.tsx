import { useEffect, useRef } from "react";
import { useMutation } from "@tanstack/react-query";
import { Link, NavLink, useLocation } from "react-router";
import { api, send, type SessionUser } from "../api/client";
import { useSession, useSessionChanged } from "../api/queries";
import { initials } from "../lib/format";
import { paths } from "../lib/paths";
import { Avatar } from "../ui/avatar";
import { Button, buttonLook, IconButton } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { MenuButton } from "../ui/menu-button";
import { toast } from "../ui/toast";
import { Logo } from "./logo";
import { mainNav } from "./nav";
import { ThemeSwitch } from "./theme";

export function Header() {
  const { user, pending } = useSession();
  const { pathname, search } = useLocation();
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-paper">
      <div className="wrap flex min-h-16 items-center gap-2 sm:gap-3 xl:gap-5">
        <Logo />
        <nav aria-label="Main" className="mx-auto hidden gap-0.5 xl:flex">
          {mainNav.map(({ label, to }) => (
            <NavLink key={to} to={to} end className={navLook}>{label}</NavLink>
          ))}
        </nav>
        <a href={paths.admin.login} className={buttonLook("quiet", "hidden! xl:inline-flex!")}>Staff</a>
        <div className="ms-auto shrink-0 xl:ms-0">
          {user ? (
            <UserMenu user={user} />
          ) : (
            <Link
              to={paths.auth(pathname.startsWith("/auth") ? undefined : pathname + search)}
              className={buttonLook("line", cx("whitespace-nowrap max-sm:px-3", pending && "invisible"))}
            >
              Sign In
            </Link>
          )}
        </div>
        <MobileMenu />
      </div>
    </header>
  );
}

const navLook = ({ isActive }: { isActive: boolean }) =>
  cx(
    "relative flex min-h-tap items-center rounded-sm px-2 text-[0.95rem] whitespace-nowrap text-ink no-underline hover:bg-sunk",
    isActive && "font-medium after:absolute after:inset-x-2 after:-bottom-[11px] after:h-[3px] after:rounded-t-[3px] after:bg-amber",
  );

function UserMenu({ user }: { user: SessionUser }) {
  const signOut = useSignOut();
  const name = user.display_name || "User";
  return (
    <MenuButton
      className="flex min-h-tap items-center gap-2.5 rounded-md text-start leading-tight"
      face={
        <>
          <span className="sr-only">Your account,</span>
          <bdi className="max-w-[clamp(6rem,9vw,11rem)] truncate text-sm font-medium max-md:sr-only">{name}</bdi>
          <Avatar initials={initials(name)} />
        </>
      }
    >
      {() => (
        <div className="grid gap-3">
          <div className="min-w-0">
            <p dir="auto" className="font-medium">{name}</p>
            <p className="truncate text-sm text-muted" title={user.email}>{user.email}</p>
          </div>
          <Button look="line" icon="signOut" busy={signOut.isPending} onClick={() => signOut.mutate()}>Sign Out</Button>
        </div>
      )}
    </MenuButton>
  );
}

function useSignOut() {
  const sessionChanged = useSessionChanged();
  return useMutation({
    mutationFn: () => send(api.POST("/api/auth/sign-out")),
    onSuccess: async () => {
      await sessionChanged(null);
      toast({ title: "Signed Out" });
    },
    onError: () => toast({ title: "Error", description: "Failed to sign out", destructive: true }),
  });
}

function MobileMenu() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { pathname } = useLocation();
  const close = () => dialog.current?.close();

  // Back and Forward change the page under an open menu.
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
          <a href={paths.admin.login} className="mt-3 flex min-h-13 items-center gap-3 rounded-md px-4 text-pine no-underline hover:bg-sunk">
            <Icon name="key" />
            Staff Access
          </a>
        </nav>
        <div className="flex items-center justify-between gap-3 border-t border-line p-5">
          <span className="text-sm text-muted">Theme</span>
          <ThemeSwitch />
        </div>
      </dialog>
    </div>
  );
}
