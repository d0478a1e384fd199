import { useEffect } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { whenIdle } from "../lib/idle";

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
    const cancel = whenIdle(start);
    return () => {
      left = true;
      cancel();
      end?.();
    };
  }, [client]);
}
