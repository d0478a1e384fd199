import { useMemo, type ComponentProps, type ReactNode } from "react";
import { Link as RouterLink, Router, type AroundNavHandler } from "wouter";
import { navigate as go, useLocationProperty } from "wouter/use-browser-location";

export { Redirect, Route, Switch, useParams } from "wouter";
export { useHistoryState, usePathname } from "wouter/use-browser-location";

type Options = { replace?: boolean; state?: unknown };

/** Goes to another address of the portal. The address of the page itself takes the place of its entry in the history. */
export const navigate = (to: string, options: Options = {}) =>
  go(to, { ...options, replace: options.replace || new URL(to, location.href).href === location.href });

const aroundNav: AroundNavHandler = (_, to, options) => navigate(to, options);

/** Placed once around everything that has links. */
export const Navigation = ({ children }: { children: ReactNode }) => <Router aroundNav={aroundNav}>{children}</Router>;

/** Reads the address. In the first render too, which takes over what the HTML shows. */
const useAddress = <Value extends string | number | boolean>(read: () => Value) => useLocationProperty(read, read);

type LinkProps = Omit<ComponentProps<"a">, "href"> & { to: string };

export const Link = ({ to, ...props }: LinkProps) => <RouterLink href={to} {...props} />;

type NavLinkProps = Omit<LinkProps, "className"> & {
  /** Active on this page only, not on those below it. */
  end?: boolean;
  className: (state: { isActive: boolean }) => string;
};

/** A link that knows whether its page is open. */
export function NavLink({ to, end = false, className, ...props }: NavLinkProps) {
  const pathname = useAddress(() => location.pathname);
  const isActive = pathname === to || (!end && pathname.startsWith(`${to}/`));
  return <Link to={to} aria-current={isActive ? "page" : undefined} className={className({ isActive })} {...props} />;
}

/** The query of the address with its "?". */
export const useSearch = () => useAddress(() => location.search);

/** The parameters of the query and how to change them. The router's own hook decodes the query twice. */
export function useSearchParams() {
  const search = useSearch();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  return [params, setSearchParams] as const;
}

type Parameters = URLSearchParams | Record<string, string>;

function setSearchParams(next: Parameters | ((now: URLSearchParams) => Parameters), options?: Options) {
  const changed = typeof next === "function" ? next(new URLSearchParams(location.search)) : next;
  const search = new URLSearchParams(changed).toString();
  navigate(location.pathname + (search && `?${search}`), options);
}

let restored = true;
let hash = location.hash;
// The router dispatches the last two.
for (const move of ["popstate", "pushState", "replaceState"])
  addEventListener(move, () => {
    restored = move === "popstate";
    hash = location.hash;
  });

/** Whether Back, Forward or a reload opened the current address, and not a link. */
export const useRestored = () => useAddress(() => restored);

/** The hash that was followed last. */
export const useHash = () => useAddress(() => hash);

/** Writes a hash into the address that nothing scrolls to. */
export const writeHash = (next: string) => History.prototype.replaceState.call(history, history.state, "", next);

/** The index of the current entry in the tab's history; browsers without the Navigation API do not tell it. */
export const currentEntry = () => window.navigation?.currentEntry?.index ?? NaN;
export const useCurrentEntry = () => useAddress(currentEntry);
