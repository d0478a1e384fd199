const key = "session";

/** Tells this browser's other tabs that somebody signed in or out, or confirmed an address. */
export function tellOtherTabs(signedOut: boolean) {
  try {
    // Storing the same value again would fire no event, so the time makes it unique.
    localStorage.setItem(key, `${signedOut ? "out" : "in"} ${Date.now()}`);
  } catch {
    // Without storage, the other tabs notice at their next request.
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
