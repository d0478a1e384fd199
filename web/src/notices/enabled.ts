const name = "notifications";
const listeners = new Set<() => void>();

/** Whether somebody turned on notifications in this browser. */
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
    // Without storage, the choice lasts until the page closes.
  }
  listeners.forEach((listener) => listener());
}

/** Calls the listener after a change in this or another tab. */
export function onEnabledChange(listener: () => void) {
  const elsewhere = ({ key }: StorageEvent) => (key === name || key === null) && listener();
  listeners.add(listener);
  addEventListener("storage", elsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", elsewhere);
  };
}
