const name = "notifications";
const listeners = new Set<() => void>();

/** Whether this browser was told to show notifications. It is asked for again where it has forgotten. */
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
    // A browser that keeps nothing forgets this with the page.
  }
  listeners.forEach((listener) => listener());
}

/** Hears of a change here and in other tabs. */
export function onEnabledChange(listener: () => void) {
  const elsewhere = ({ key }: StorageEvent) => (key === name || key === null) && listener();
  listeners.add(listener);
  addEventListener("storage", elsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", elsewhere);
  };
}
