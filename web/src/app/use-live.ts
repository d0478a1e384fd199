import { useEffect } from "react";
import { useQueryClient } from "@tanstack/react-query";

/** Starts listening to camp once the page itself is done. */
export function useLive() {
  const client = useQueryClient();
  useEffect(() => {
    if (!("EventSource" in window)) return;
    let end: (() => void) | undefined;
    let left = false;
    const start = () =>
      // A page without its live part still asks from time to time.
      void import("./live").then(({ live }) => left || (end = live(client)), () => undefined);
    const idle = "requestIdleCallback" in window ? requestIdleCallback(start, { timeout: 5_000 }) : setTimeout(start, 1_500);
    return () => {
      left = true;
      if ("cancelIdleCallback" in window) cancelIdleCallback(idle as number);
      else clearTimeout(idle as ReturnType<typeof setTimeout>);
      end?.();
    };
  }, [client]);
}
