import {
  createContext,
  isValidElement,
  useContext,
  useLayoutEffect,
  useSyncExternalStore,
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
} from "react";

export type Options = { replace?: boolean; state?: unknown };

/** Goes to another address of the portal. The address of the page itself takes the place of its entry in the history. */
export function navigate(to: string, { replace, state = null }: Options = {}) {
  const isHere = new URL(to, location.href).href === location.href;
  history[replace || isHere ? "replaceState" : "pushState"](state, "", to);
}

const moves = ["popstate", "hashchange", "pushState", "replaceState"];

// Browsers have no event for the last two.
for (const type of ["pushState", "replaceState"] as const)
  history[type] = (...entry) => {
    History.prototype[type].apply(history, entry);
    dispatchEvent(new Event(type));
  };

// One listener for all, so that React draws what follows from a move at once.
const readers = new Set<() => void>();
const onMove = () => readers.forEach((reader) => reader());

export function subscribe(reader: () => void) {
  if (readers.size === 0) for (const move of moves) addEventListener(move, onMove);
  readers.add(reader);
  return () => void readers.delete(reader);
}

type Value = string | number | boolean;

/** Reads the address. In the first render too, which takes over what the HTML shows. */
export const useAddress = <Read extends Value>(read: () => Read) => useSyncExternalStore(subscribe, read, read);

export const usePathname = () => useAddress(() => location.pathname);

/** The parameters of an address of the form "/video/:id"; a "*" at the end stands for everything below. */
export function match(form: string, pathname: string): Record<string, string> | null {
  const pattern = form.replace(/\/?\*$/, "(?:/.*)?").replace(/:(\w+)/g, "(?<$1>[^/]+)");
  const found = new RegExp(`^${pattern}/?$`, "i").exec(pathname);
  return found && { ...found.groups };
}

const Parameters = createContext<Record<string, string>>({});

/** The parameters of the route around it. */
export const useParams = () => useContext(Parameters);

type RouteProps = { path?: string; children: ReactNode };

/** One of the pages of a `Switch`; without a path it is for all addresses. */
export const Route = ({ children }: RouteProps) => children;

/** Shows the first route that matches the address. */
export function Switch({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  for (const route of [children].flat(2)) {
    const found = isValidElement<RouteProps>(route) && match(route.props.path ?? "*", pathname);
    if (found) return <Parameters value={found}>{route}</Parameters>;
  }
  return null;
}

/** Goes to another address in place of this one. */
export function Redirect({ to }: { to: string }) {
  useLayoutEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

type LinkProps = Omit<ComponentProps<"a">, "href"> & { to: string };

export function Link({ to, onClick, children, ...props }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    // For a new tab or window, or to save what is behind it.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return;
    onClick?.(event);
    if (event.defaultPrevented) return;
    event.preventDefault();
    navigate(to);
  }
  return (
    <a {...props} href={to} onClick={follow}>
      {children}
    </a>
  );
}

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

let restored = true;
let hash = location.hash;
for (const move of ["popstate", "pushState", "replaceState"])
  addEventListener(move, () => {
    restored = move === "popstate";
    hash = location.hash;
  });

/** Whether Back, Forward or a reload opened the current address, and not a link. */
export const useRestored = () => useAddress(() => restored);

/** The hash that was followed last. */
export const useHash = () => useAddress(() => hash);
