import { paths } from "./paths";

/** Where to go after signing in: always a path in this portal, whatever the URL contains. */
export function safeNext(next: string | null): string {
  if (!next) return paths.home;
  try {
    const url = new URL(next, location.origin);
    // A path that begins with two slashes would be a URL of another site. The URL parser has already turned backslashes
    // into slashes.
    const isOwn = url.origin === location.origin && !url.pathname.startsWith("//");
    return isOwn && !url.pathname.startsWith("/auth") ? url.pathname + url.search + url.hash : paths.home;
  } catch {
    return paths.home;
  }
}
