import { useEffect } from "react";
import { useQueryClient } from "@tanstack/react-query";

/** Connects to the server's events once the page has loaded. */
export function useServerEvents() {
  const client = useQueryClient();
  useEffect(() => {
    if (!("EventSource" in window)) return;
    let end: (() => void) | undefined;
    let left = false;
    const start = () =>
      // A page that cannot load this part still polls.
      void import("./server-events").then(
        ({ applyServerEvents }) => left || (end = applyServerEvents(client)),
        () => undefined,
      );
    const idle =
      "requestIdleCallback" in window ? requestIdleCallback(start, { timeout: 5_000 }) : setTimeout(start, 1_500);
    return () => {
      left = true;
      if ("cancelIdleCallback" in window) cancelIdleCallback(idle as number);
      else clearTimeout(idle as ReturnType<typeof setTimeout>);
      end?.();
    };
  }, [client]);
}
