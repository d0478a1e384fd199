import { useSyncExternalStore } from "react";

const idleLimit = 5 * 60_000;
let last = Date.now();

function subscribe(listener: () => void) {
  let timer: ReturnType<typeof setTimeout>;
  const seen = () => {
    last = Date.now();
    listener();
    clearTimeout(timer);
    timer = setTimeout(listener, idleLimit + 100);
  };
  const signs = ["pointerdown", "keydown", "wheel", "focus"];
  signs.forEach((sign) => addEventListener(sign, seen, { passive: true }));
  seen();
  return () => {
    clearTimeout(timer);
    signs.forEach((sign) => removeEventListener(sign, seen));
  };
}

/**
 * The polling interval. It is false once nobody has used the page for a while: each request counts as activity on the
 * server, so endless polling would keep a forgotten laptop signed in.
 */
export function useRefetchInterval(milliseconds: number): number | false {
  const attended = useSyncExternalStore(
    subscribe,
    () => Date.now() - last < idleLimit,
    () => true,
  );
  return attended ? milliseconds : false;
}

export const everyFifteenSeconds = 15_000;
