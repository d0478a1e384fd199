import { useEffect, useState } from "react";

const knowsIdle = "requestIdleCallback" in globalThis;

/** Calls it once the page is on the screen and the browser has nothing else to do. Returns what cancels that. */
export function whenIdle(then: () => void) {
  let idle = 0;
  // The first idle moment is often between drawing and painting.
  const timer = setTimeout(
    () => {
      if (knowsIdle) idle = requestIdleCallback(then, { timeout: 5_000 });
      else then();
    },
    knowsIdle ? 200 : 1_500,
  );
  return () => {
    clearTimeout(timer);
    if (idle) cancelIdleCallback(idle);
  };
}

/** False until then. */
export function useIdle() {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => whenIdle(() => setIsIdle(true)), []);
  return isIdle;
}
