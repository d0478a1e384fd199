import { setNotificationsEnabled } from "./enabled";

/** Why this browser cannot show notifications right now. */
export type Obstacle = "blocked" | "home screen" | "insecure" | "unable";

export function obstacle(): Obstacle | null {
  if ("Notification" in window && "serviceWorker" in navigator)
    return Notification.permission === "denied" ? "blocked" : null;
  if (!window.isSecureContext) return "insecure";
  return isAppleMobile() ? "home screen" : "unable";
}

// An iPad identifies itself as a Mac, but no Mac has a touch screen.
const isAppleMobile = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export const permitted = () => "Notification" in window && Notification.permission === "granted";

/** Calls the listener when the permission changes in the browser's settings. */
export function onPermission(listener: () => void) {
  let status: PermissionStatus | undefined;
  let left = false;
  // Some browsers cannot query this permission, so it is also checked when the page becomes visible.
  void navigator.permissions?.query({ name: "notifications" }).then(
    (found) => {
      if (left) return;
      status = found;
      found.addEventListener("change", listener);
    },
    () => undefined,
  );
  document.addEventListener("visibilitychange", listener);
  return () => {
    left = true;
    status?.removeEventListener("change", listener);
    document.removeEventListener("visibilitychange", listener);
  };
}

/** The service worker shows notifications and handles clicks on them, because pages on Android cannot. */
async function worker() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

/** Call this from a click, because browsers ask for permission only after one. */
export async function switchOn(): Promise<"on" | "blocked" | "unanswered"> {
  const answer = await Notification.requestPermission();
  if (answer !== "granted") return answer === "denied" ? "blocked" : "unanswered";
  await worker();
  setNotificationsEnabled(true);
  return "on";
}

export async function switchOff() {
  setNotificationsEnabled(false);
  await dismissWorker();
}

export type Notice = {
  /** The id of the update or video. A notification with the same id replaces the previous one. */
  id: string;
  title: string;
  body: string;
  /** Where a click leads. */
  path: string;
  /** The end of quiet time. No notification is shown before it. */
  quietUntil?: string | null | undefined;
};

export async function showNotification({ id, title, body, path }: Notice) {
  const registration = await worker();
  await registration.showNotification(title, {
    body: shortened(body),
    tag: id,
    icon: "/icon-192.png",
    dir: "auto",
    data: { path },
  });
}

const longest = 180;
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text);

/** Closes the notifications that are still visible, and unregisters the service worker. */
export async function dismissWorker() {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const shown = (await registration?.getNotifications()) ?? [];
  shown.forEach((notification) => notification.close());
  await registration?.unregister();
}
