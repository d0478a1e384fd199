import { useSyncExternalStore } from "react";

const fresh = 20_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let present = 0;

function read() {
  const now = Date.now();
  if (now - present >= fresh || now < present) present = now;
  return present;
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), fresh);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present, a few seconds more or less: ages on a page that stays open grow with it. */
export const useNow = () => new Date(useSyncExternalStore(subscribe, read));
