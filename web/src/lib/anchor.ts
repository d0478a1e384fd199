import { useEffect } from "react";
import { useHash } from "./navigation";

/** Scrolls to the element that the URL's hash names, as soon as it is rendered. */
export function useAnchor(there = true): string {
  const hash = useHash();
  const id = decode(hash.slice(1));
  useEffect(() => {
    if (!there || !id) return;
    // The layout first scrolls a new page to its top.
    const frame = requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView());
    return () => cancelAnimationFrame(frame);
  }, [id, there]);
  return id;
}

function decode(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
