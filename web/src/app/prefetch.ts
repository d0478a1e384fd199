import { fetchPage, isStaffArea } from "./routes";

/** Loads the code of a page as soon as a pointer, a finger or the focus is on a link to it. */
export function prefetchLinks() {
  for (const kind of ["pointerover", "touchstart", "focusin"]) addEventListener(kind, prefetch, { passive: true });
}

function prefetch({ target }: Event) {
  const link = target instanceof Element && target.closest("a");
  if (!link || link.origin !== location.origin) return;
  // Parents pass over the link to the staff area without opening it.
  if (isStaffArea(link.pathname) && !isStaffArea(location.pathname)) return;
  // A page that could not be loaded says so when it is opened.
  fetchPage(link.pathname).catch(() => undefined);
}
