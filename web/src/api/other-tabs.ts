const key = "session";

/** Tells the other tabs of this browser that somebody signed in or out, or confirmed the address. */
export function tellOtherTabs(signedOut: boolean) {
  try {
    // A value that was there before is no event.
    localStorage.setItem(key, `${signedOut ? "out" : "in"} ${Date.now()}`);
  } catch {
    // Without storage they see it when they ask the next time.
  }
}

/** Calls the listener when another tab says so. */
export function onOtherTabs(listener: (signedOut: boolean) => void) {
  const onStorage = (event: StorageEvent) => {
    if (event.key === key && event.newValue) listener(event.newValue.startsWith("out"));
  };
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
}
