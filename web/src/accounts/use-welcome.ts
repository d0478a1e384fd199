import { useEffect, useState } from "react";
import { useSession, useSite } from "../api/queries";

const flag = "welcomePopupShown";
const after = 15_000;

function shownBefore() {
  try {
    return localStorage.getItem(flag) !== null;
  } catch {
    // A device that remembers nothing would be asked on every visit.
    return true;
  }
}

function remember() {
  try {
    localStorage.setItem(flag, "true");
  } catch {
    // Nothing to be done, and nothing depends on it.
  }
}

/**
 * Whether the welcome popup stands open: once in a device's life, to somebody not signed in who has looked at
 * the page for fifteen seconds. Somebody signed in needs no invitation, now or after signing out.
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
      // Somebody is in the middle of something, or of watching it: later, then.
      if (document.querySelector("dialog[open], video, iframe")) timer = setTimeout(show, 2_000);
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
