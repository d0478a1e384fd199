import { useEffect, useRef } from "react";
import { NavLink, usePathname } from "../lib/navigation";
import { paths } from "../lib/paths";
import { IconButton } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { mainNav } from "./nav";
import { ThemeSwitch } from "./theme";
import { useSignOut } from "./use-sign-out";

/** The menu on narrow screens. Each press of its button opens it. */
export function Menu({ presses, signedIn }: { presses: number; signedIn: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pathname = usePathname();
  const signOut = useSignOut("Failed to sign out");
  const close = () => dialog.current?.close();

  useEffect(() => {
    const { current } = dialog;
    if (!current?.open) current?.showModal();
  }, [presses]);

  // Closes an open menu after Back and Forward.
  useEffect(() => {
    const { current } = dialog;
    return () => current?.close();
  }, [pathname]);

  return (
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
      <nav aria-label="Menu" className="grid flex-1 grid-cols-[minmax(0,1fr)] content-start p-3 wrap-anywhere">
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
          href={paths.staffSignIn}
          className="mt-3 flex min-h-13 items-center gap-3 rounded-md px-4 text-pine no-underline hover:bg-sunk"
        >
          <Icon name="key" />
          Staff Access
        </a>
        {signedIn && (
          <button
            type="button"
            onClick={() => {
              close();
              signOut.mutate();
            }}
            className="flex min-h-13 items-center gap-3 rounded-md px-4 text-start text-ink hover:bg-sunk"
          >
            <Icon name="signOut" />
            Sign Out
          </button>
        )}
      </nav>
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line p-5">
        <span className="text-sm text-muted">Theme</span>
        <ThemeSwitch />
      </div>
    </dialog>
  );
}
