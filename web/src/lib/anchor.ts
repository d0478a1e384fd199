import { useEffect } from "react";
import { useLocation } from "react-router";

/** The part of the page that the address names after its #, once that part is there. */
export function useAnchor(there = true): string {
  const { hash } = useLocation();
  const id = decode(hash.slice(1));
  useEffect(() => {
    if (!there || !id) return;
    // After the layout has put a new page at its top.
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
