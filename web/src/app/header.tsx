import { Suspense, useState, type ReactNode } from "react";
import { useSession } from "../api/queries";
import { Link, NavLink, usePathname, useSearch } from "../lib/navigation";
import { paths } from "../lib/paths";
import { useIsShell } from "../lib/shell";
import { buttonLook, IconButton } from "../ui/button";
import { cx } from "../ui/class-names";
import { Account, Menu } from "./later";
import { Logo } from "./logo";
import { mainNav } from "./nav";

export function Header() {
  const { user, pending, failed } = useSession();
  const pathname = usePathname();
  const search = useSearch();
  // The HTML is the same for all queries, so it does not know which page follows after signing in.
  const isShell = useIsShell();
  return (
    <HeaderBar>
      <nav aria-label="Main" className="ms-16 hidden gap-0.5 xl:flex">
        {mainNav.map(({ label, to }) => (
          <NavLink key={to} to={to} end className={navLook}>
            {label}
          </NavLink>
        ))}
      </nav>
      {/* Appears all at once when the session is known, so that nothing shifts. */}
      <div className={cx("flex flex-[1_0_auto] items-center justify-end gap-5", pending && !failed && "invisible")}>
        <Suspense>
          <a href={paths.staffSignIn} className={buttonLook("quiet", "hidden! xl:inline-flex!")}>
            Staff
          </a>
          {user ? (
            <Account user={user} />
          ) : (
            <Link
              to={paths.auth(isShell || pathname.startsWith("/auth") ? undefined : pathname + search)}
              className={buttonLook("line", cx("whitespace-nowrap max-sm:px-3", pending && "invisible"))}
            >
              Sign In
            </Link>
          )}
        </Suspense>
      </div>
      <MenuButton signedIn={user !== null} />
    </HeaderBar>
  );
}

/** The top of every page. The staff area shows it until it is loaded. */
export const HeaderBar = ({ children }: { children?: ReactNode }) => (
  <header className="sticky top-0 z-20 border-b border-line bg-paper">
    <div className="wrap flex min-h-16 items-center gap-2 sm:gap-3 xl:gap-5">
      <Logo />
      {children}
    </div>
  </header>
);

const navLook = ({ isActive }: { isActive: boolean }) =>
  cx(
    "relative flex min-h-tap items-center rounded-sm px-2 text-[0.95rem] whitespace-nowrap text-ink no-underline hover:bg-sunk",
    isActive &&
      "font-medium after:absolute after:inset-x-2 after:-bottom-[11px] after:h-[3px] after:rounded-t-[3px] after:bg-amber",
  );

function MenuButton({ signedIn }: { signedIn: boolean }) {
  const [presses, setPresses] = useState(0);
  return (
    <div className="-me-2 xl:hidden">
      <IconButton
        icon="menu"
        label="Open menu"
        aria-haspopup="dialog"
        onClick={() => setPresses((before) => before + 1)}
      />
      {presses > 0 && (
        <Suspense>
          <Menu presses={presses} signedIn={signedIn} />
        </Suspense>
      )}
    </div>
  );
}
