import { useEffect, useState } from "react";

const knowsIdle = "requestIdleCallback" in globalThis;

/**
 * Calls the function once the page is on the screen and the browser has nothing else to do. Returns a function that
 * cancels this.
 */
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

/** Whether the page is on the screen and the browser has been idle once. */
export function useIdle() {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => whenIdle(() => setIsIdle(true)), []);
  return isIdle;
}
