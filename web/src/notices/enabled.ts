const name = "notifications";
const listeners = new Set<() => void>();

/** Whether somebody switched notifications on in this browser. */
export function notificationsEnabled() {
  try {
    return localStorage.getItem(name) === "on";
  } catch {
    return false;
  }
}

export function setNotificationsEnabled(on: boolean) {
  try {
    if (on) localStorage.setItem(name, "on");
    else localStorage.removeItem(name);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  listeners.forEach((listener) => listener());
}

/** Calls the listener after a change in this tab or another one. */
export function onEnabledChange(listener: () => void) {
  const elsewhere = ({ key }: StorageEvent) => (key === name || key === null) && listener();
  listeners.add(listener);
  addEventListener("storage", elsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", elsewhere);
  };
}
