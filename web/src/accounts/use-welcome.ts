import { useEffect, useState } from "react";
import { useSession, useSite } from "../api/queries";

const flag = "welcomePopupShown";
const after = 15_000;

function shownBefore() {
  try {
    return localStorage.getItem(flag) !== null;
  } catch {
    // Without storage, the popup would appear at every visit, so it counts as seen.
    return true;
  }
}

function remember() {
  try {
    localStorage.setItem(flag, "true");
  } catch {
    // Without storage nothing is remembered.
  }
}

const isTyping = () => document.activeElement?.matches("input, textarea") ?? false;

/**
 * Whether the welcome popup is open. It opens once on each device, for visitors who have been on the page for fifteen
 * seconds. Nobody who is or was signed in sees it.
 */
export function useWelcome() {
  const site = useSite();
  const { user, pending } = useSession();
  const [open, setOpen] = useState(false);
  const may = !pending && !user && site?.registrations_open === true;

  useEffect(() => {
    if (user) remember();
  }, [user]);

  useEffect(() => {
    if (!may || open || shownBefore()) return;
    let seen = 0;
    let since = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;

    function show() {
      // Postpones the popup while somebody types or watches, and while the site is closed.
      if (document.querySelector("dialog[open], video, iframe, main[hidden]") || isTyping())
        timer = setTimeout(show, 2_000);
      else if (!shownBefore()) setOpen(true);
    }
    function count() {
      clearTimeout(timer);
      const now = performance.now();
      if (document.hidden) {
        seen += now - since;
        return;
      }
      since = now;
      timer = setTimeout(show, Math.max(0, after - seen));
    }
    if (document.hidden) seen = 0;
    else timer = setTimeout(show, after);
    document.addEventListener("visibilitychange", count);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", count);
    };
  }, [may, open]);

  return {
    open,
    close: () => {
      remember();
      setOpen(false);
    },
  };
}
