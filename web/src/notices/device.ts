import { setNotificationsEnabled } from "./enabled";

/** Why this browser cannot show notifications as it stands. */
export type Obstacle = "blocked" | "home screen" | "insecure" | "unable";

export function obstacle(): Obstacle | null {
  if ("Notification" in window && "serviceWorker" in navigator) return Notification.permission === "denied" ? "blocked" : null;
  if (!window.isSecureContext) return "insecure";
  return isAppleMobile() ? "home screen" : "unable";
}

// An iPad says that it is a Mac, but no Mac can be touched.
const isAppleMobile = () => /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export const permitted = () => "Notification" in window && Notification.permission === "granted";

/** Hears when somebody changes their mind in the browser's own settings. */
export function onPermission(listener: () => void) {
  let status: PermissionStatus | undefined;
  let left = false;
  // Not every browser can be asked about notifications; each says so when one comes back to the page.
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

/** The one who shows notifications and hears the click on them: pages on an Android phone may not do it themselves. */
async function worker() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

/** Call from a click: browsers ask nobody who did nothing. */
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
  /** Of the update or the video; the same one is never shown twice at once. */
  id: string;
  title: string;
  body: string;
  /** Where a click leads. */
  path: string;
};

export async function showNotification({ id, title, body, path }: Notice) {
  const registration = await worker();
  await registration.showNotification(title, { body: shortened(body), tag: id, icon: "/icon-192.png", dir: "auto", data: { path } });
}

const longest = 180;
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text);

/** Takes back what is still shown, and leaves nothing of ours in the browser. */
export async function dismissWorker() {
  const registration = await navigator.serviceWorker?.getRegistration("/");
  const shown = (await registration?.getNotifications()) ?? [];
  shown.forEach((notification) => notification.close());
  await registration?.unregister();
}
