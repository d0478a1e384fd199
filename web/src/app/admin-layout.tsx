import { lazy, Suspense, useEffect, useRef, type ReactNode } from "react";
import { useCompleteFields } from "../admin/shared/incomplete-fields";
import { pagesFor, useTiles, type AdminPage } from "../admin/shared/pages";
import { firstPage, roleName, useSignOut } from "../admin/shared/session";
import { LeaveGuard } from "../admin/shared/leave-guard";
import type { Staff } from "../api/client";
import { useSite } from "../api/queries";
import { useIdle } from "../lib/idle";
import { initials } from "../lib/initials";
import { Link, NavLink, usePathname } from "../lib/navigation";
import { paths } from "../lib/paths";
import { useIsShell } from "../lib/shell";
import { staffPaths } from "../lib/staff-paths";
import { Avatar } from "../ui/avatar";
import { IconButton } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { Loading, Skeleton } from "../ui/states";
import { splitScripts } from "../ui/two-scripts";
import { ErrorBoundary } from "./error-boundary";
import { LogoMark } from "./logo";
import { OfflineBar, useNewPage } from "./public-layout";
import { ThemeSwitch } from "./theme";

const UploadPanel = lazy(() => import("../admin/videos/uploads/upload-panel"));

type Props = { staff: Staff; onSignedOut: () => void };

/** The layout of the staff area. The navigation is at the side, or behind a button on narrow screens. */
export function AdminLayout({ staff, onSignedOut, children }: Props & { children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const pathname = usePathname();
  const isIdle = useIdle();
  const isShell = useIsShell();
  useNewPage(main);
  useCompleteFields();

  return (
    <>
      {!isShell && <LeaveGuard />}
      <a href="#main" className="fixed start-4 -top-16 z-50 rounded-sm bg-pine px-4 py-2.5 text-on-pine focus:top-4">
        Skip to content
      </a>
      <div className="flex-1 lg:grid lg:grid-cols-[236px_minmax(0,1fr)]">
        <aside aria-label="Staff area" className="hidden border-e border-line bg-sunk lg:block">
          <div className="dense sticky top-0 flex h-dvh flex-col px-3 py-3">
            <Brand name={<SiteName />} className="px-2 pb-2" />
            <div className="scroll-hint -mx-3 min-h-20 flex-1 overflow-y-auto px-3">
              <Navigation staff={staff} />
            </div>
            <Person staff={staff} onSignedOut={onSignedOut} />
          </div>
        </aside>
        <div className="flex min-w-0 flex-col">
          <TopBar staff={staff} onSignedOut={onSignedOut} />
          <OfflineBar />
          <main
            ref={main}
            id="main"
            tabIndex={-1}
            // Text typed into a shell would be lost. Older browsers do not know `inert`.
            inert={isShell}
            aria-hidden={isShell || undefined}
            className="w-full max-w-[76rem] flex-1 px-gutter pt-6 pb-16 lg:px-8"
          >
            {isIdle && (
              <ErrorBoundary small>
                <Suspense>
                  <UploadPanel />
                </Suspense>
              </ErrorBoundary>
            )}
            <ErrorBoundary key={pathname}>
              <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
            </ErrorBoundary>
          </main>
        </div>
      </div>
    </>
  );
}

/** Pages for printing have no navigation. */
export const PrintLayout = ({ children }: { children: ReactNode }) => (
  <Suspense
    fallback={
      <div className="mx-auto w-full max-w-[50rem] px-gutter py-6">
        <PageSkeleton />
      </div>
    }
  >
    {children}
  </Suspense>
);

const SiteName = () => <bdi>{splitScripts(useSite()?.site_name ?? "")[0] || "The camp"}</bdi>;

const Brand = ({ name, className }: { name: ReactNode; className?: string }) => (
  <Link
    to={firstPage}
    className={cx(
      "inline-flex min-h-tap min-w-0 items-center gap-2.5 font-head leading-tight text-ink no-underline",
      className,
    )}
  >
    <LogoMark className="size-[min(2.125rem,11vw)] shrink-0" />
    <span className="min-w-0 text-[min(1.15rem,6.5vw)]">
      {name}
      <span className="block text-[min(0.8125rem,5.5vw)] leading-[1.45] text-muted">Staff area</span>
    </span>
  </Link>
);

function Navigation({ staff, onWalk }: { staff: Staff; onWalk?: () => void }) {
  const tiles = useTiles();
  const list = useRef<HTMLElement>(null);
  const pathname = usePathname();
  // On a low screen, the current page may be out of view in the list.
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not return.
    void list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [pathname]);
  const pages = pagesFor(staff.role);
  const line = ({ label, to, icon, note, noteEnd, tile, urgent }: AdminPage) => (
    <NavLink
      key={to}
      to={to}
      onClick={onWalk}
      className={({ isActive }) =>
        cx(
          "group flex min-h-tap items-center gap-3 rounded-sm border-s-3 px-3 text-[0.95rem] text-ink no-underline",
          isActive ? "border-amber bg-surface font-medium shadow-low" : "border-transparent hover:bg-bone",
        )
      }
    >
      <Icon name={icon} className="text-muted group-aria-[current]:text-pine" />
      {label}
      {tiles && note && (
        <span
          title={tile?.(tiles)}
          className={cx(
            "ms-auto text-xs whitespace-nowrap tabular-nums",
            urgent?.(tiles) ? "rounded-full bg-amber px-2 py-0.5 font-medium text-on-amber" : "font-normal text-muted",
          )}
        >
          {note(tiles)}
          {note(tiles) && noteEnd && <span className="sr-only"> {noteEnd}</span>}
        </span>
      )}
    </NavLink>
  );
  const administration = pages.filter((page) => page.administration);
  return (
    <nav ref={list} aria-label="Staff area" className="grid content-start gap-px">
      {pages.filter((page) => !page.administration).map(line)}
      {administration.length > 0 && (
        <div className="mt-3 grid gap-px border-t border-line pt-3">{administration.map(line)}</div>
      )}
    </nav>
  );
}

function Person({ staff, onSignedOut, onWalk }: Props & { onWalk?: () => void }) {
  const signOut = useSignOut(onSignedOut);

  return (
    <div className="person grid gap-3">
      <div className="grid gap-px">
        <Link to={paths.home} className={quietLink}>
          <Icon name="out" className="text-muted" />
          View the site
        </Link>
        <button
          type="button"
          aria-disabled={signOut.isPending}
          onClick={() => !signOut.isPending && signOut.mutate()}
          className={quietLink}
        >
          <Icon name="signOut" className="text-muted" />
          Sign Out
        </button>
      </div>
      <div className="px-3">
        <ThemeSwitch />
      </div>
      <NavLink
        to={staffPaths.ownAccount}
        title="Your account: password, two-factor, sessions"
        onClick={onWalk}
        className={({ isActive }) =>
          cx(
            "group flex min-h-14 min-w-0 items-center gap-2.5 rounded-sm border-s-3 px-2 text-ink no-underline",
            isActive ? "border-amber bg-surface shadow-low" : "border-transparent hover:bg-bone",
          )
        }
      >
        <Avatar initials={staff.username && initials(staff.username)} />
        <span className="min-w-0 flex-1 text-sm leading-tight">
          <bdi className="block truncate font-medium">{staff.username}</bdi>
          <span className="block truncate text-muted">{staff.username && `${roleName(staff)} · Account`}</span>
        </span>
        <Icon name="next" className="text-muted" />
      </NavLink>
    </div>
  );
}

const quietLink =
  "flex min-h-tap w-full items-center gap-3 rounded-sm px-3 text-start text-[0.95rem] text-ink no-underline hover:bg-bone";

function TopBar({ staff, onSignedOut }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pathname = usePathname();
  const close = () => dialog.current?.close();
  const isShell = useIsShell();
  const known = pagesFor(isShell ? "owner" : staff.role);
  const here = pathname === staffPaths.ownAccount ? "Your account" : known.find(({ to }) => to === pathname)?.label;

  // Closes an open menu after Back and Forward.
  useEffect(close, [pathname]);

  return (
    <header className="sticky top-0 z-20 flex items-center justify-between gap-3 border-b border-line bg-sunk px-gutter py-2 lg:hidden">
      <Brand name={here ?? <SiteName />} />
      <span className="-me-2 flex items-center">
        <Link
          to={staffPaths.ownAccount}
          aria-label="Your account"
          className="grid min-h-tap min-w-tap shrink-0 place-items-center rounded-md hover:bg-bone"
        >
          <Avatar
            initials={staff.username && initials(staff.username)}
            className="size-[min(2.375rem,12vw)] text-[min(0.9rem,4.5vw)]"
          />
        </Link>
        <IconButton icon="menu" label="Open menu" aria-haspopup="dialog" onClick={() => dialog.current?.showModal()} />
      </span>
      {!isShell && (
        <dialog
          ref={dialog}
          aria-label="Menu"
          onClick={(event) => event.target === dialog.current && close()}
          className="m-0 ms-auto h-dvh max-h-none w-[min(20rem,86vw)] border-s border-line bg-sunk p-0 open:flex open:flex-col"
        >
          <div className="flex min-h-16 items-center justify-between border-b border-line ps-5 pe-2">
            <span className="font-head text-xl">Menu</span>
            <IconButton icon="close" label="Close menu" onClick={close} />
          </div>
          <div className="flex flex-1 flex-col p-3">
            <Navigation staff={staff} onWalk={close} />
            <div className="flex-1 pt-6" />
            <Person staff={staff} onSignedOut={onSignedOut} onWalk={close} />
          </div>
        </dialog>
      )}
    </header>
  );
}

const PageSkeleton = () => (
  <Loading label="Loading page" className="grid content-start gap-5">
    <Skeleton className="h-10 w-64 max-w-full" />
    <Skeleton className="h-64 w-full" />
  </Loading>
);
