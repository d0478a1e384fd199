import { paths } from "./paths";

/** Where to go after signing in: always a path of this portal, whatever the address bar contains. */
export function safeNext(next: string | null): string {
  if (!next) return paths.home;
  try {
    const url = new URL(next, location.origin);
    // A path that begins with two slashes would be the address of another site. Backslashes are slashes here already.
    const isOwn = url.origin === location.origin && !url.pathname.startsWith("//");
    return isOwn && !url.pathname.startsWith("/auth") ? url.pathname + url.search + url.hash : paths.home;
  } catch {
    return paths.home;
  }
}
