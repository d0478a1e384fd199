import { fetchPage, isStaffArea } from "./routes";

/** Loads a page's code as soon as a pointer, a finger or the focus is on a link to it. */
export function prefetchLinks() {
  for (const kind of ["pointerover", "touchstart", "focusin"]) addEventListener(kind, prefetch, { passive: true });
}

function prefetch({ target }: Event) {
  const link = target instanceof Element && target.closest("a");
  if (!link || link.origin !== location.origin) return;
  // Parents pass over the staff link without opening it.
  if (isStaffArea(link.pathname) && !isStaffArea(location.pathname)) return;
  // If a page cannot be loaded, it says so when it is opened.
  fetchPage(link.pathname).catch(() => undefined);
}
