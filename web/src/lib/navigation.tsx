import type { ComponentProps, ReactNode } from "react";
import { Link as RouterLink, Router, type AroundNavHandler } from "wouter";
import { navigate as go, useLocationProperty } from "wouter/use-browser-location";

export { Redirect, Route, Switch, useParams } from "wouter";
export { usePathname } from "wouter/use-browser-location";

export type Options = { replace?: boolean; state?: unknown };

/** Goes to another URL of the portal. Going to the current URL replaces its history entry. */
export const navigate = (to: string, options: Options = {}) =>
  go(to, { ...options, replace: options.replace || new URL(to, location.href).href === location.href });

const aroundNav: AroundNavHandler = (_, to, options) => navigate(to, options);

/** Placed once around everything that has links. */
export const Navigation = ({ children }: { children: ReactNode }) => <Router aroundNav={aroundNav}>{children}</Router>;

/** Reads the URL, even in the first render, which takes over what the HTML shows. */
export const useAddress = <Value extends string | number | boolean>(read: () => Value) =>
  useLocationProperty(read, read);

type LinkProps = Omit<ComponentProps<"a">, "href"> & { to: string };

export const Link = ({ to, ...props }: LinkProps) => <RouterLink href={to} {...props} />;

type NavLinkProps = Omit<LinkProps, "className"> & {
  /** Whether the link is active only on this page, and not on the pages below it. */
  end?: boolean;
  className: (state: { isActive: boolean }) => string;
};

/** A link that knows whether its page is open. */
export function NavLink({ to, end = false, className, ...props }: NavLinkProps) {
  const pathname = useAddress(() => location.pathname);
  const isActive = pathname === to || (!end && pathname.startsWith(`${to}/`));
  return <Link to={to} aria-current={isActive ? "page" : undefined} className={className({ isActive })} {...props} />;
}

/** The query of the URL, including its "?". */
export const useSearch = () => useAddress(() => location.search);

let restored = true;
let hash = location.hash;
// The router dispatches the last two events.
for (const move of ["popstate", "pushState", "replaceState"])
  addEventListener(move, () => {
    restored = move === "popstate";
    hash = location.hash;
  });

/** Whether Back, Forward or a reload opened the current URL, rather than a link. */
export const useRestored = () => useAddress(() => restored);

/** The hash of the last navigation. */
export const useHash = () => useAddress(() => hash);
