import type { QueryClient } from "@tanstack/react-query";
import { api } from "../api/client";
import { siteQuery } from "../api/queries";
import { paths } from "../lib/paths";
import { dismissWorker, permitted, showNotification, type Notice } from "./device";
import { holdLock, isLockHeld } from "./locks";
import { notificationsEnabled } from "./enabled";
import { shownBefore, recordShown } from "./shown-notices";
import { addWaiting, removeWaiting, takeDue, timeToNext } from "./waiting";

export type Notices = {
  /** Whether this page is the leader, which stays connected while all pages are hidden. */
  leads: () => boolean;
  /**
   * Returns true if the page itself should show the notice, because the page is visible and the notice is new.
   * Otherwise a notification shows it.
   */
  say: (notice: Notice) => boolean;
  /** Closes the notification about something that was withdrawn. */
  takeBack: (id: string) => void;
  /** Closes the notification about a changed video, if it must not be seen any more. */
  recheck: (id: string) => void;
  end: () => void;
};

const inSight = "notifications: a page in sight";

/** Spreads the requests of many devices after a new video, in milliseconds. */
const spread = 2_000;

/** How long a visible page has to show a notice, in milliseconds. A page that is just being closed does not show it. */
const pageTimeout = 1_000;

/** Timers are set again after at most this many milliseconds, because the device may have been asleep. */
const longestTimer = 60_000;

const refused = (status: number) => [401, 403, 404].includes(status);

/** Whether the server says that a video was unpublished or is only for other people. */
async function isGone(id: string) {
  const answer = await api.GET("/api/videos/{id}", { params: { path: { id } } }).catch(() => null);
  return answer !== null && refused(answer.response.status);
}

/** Whether an update was withdrawn, has expired or is only for other people. */
async function isWithdrawn(id: string) {
  const answer = await api.GET("/api/live-updates/{id}", { params: { path: { id } } }).catch(() => null);
  return answer !== null && (answer.data?.withdrawn === true || refused(answer.response.status));
}

/** Shows one notification for each update and video, however many pages are open. */
export function notices(client: QueryClient, onLead: () => void): Notices {
  let ended = false;
  let leads = false;
  let leaveSight: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const leave = holdLock("notifications: who listens", "exclusive", () => {
    leads = true;
    onLead();
    void showWaiting();
  });

  function look() {
    leaveSight?.();
    leaveSight = document.hidden ? undefined : holdLock(inSight, "shared");
  }
  look();
  document.addEventListener("visibilitychange", look);

  async function show(notice: Notice) {
    await new Promise((done) => setTimeout(done, Math.random() * spread));
    // The camp may have turned off notifications since this page was last visible.
    const site = await client
      .fetchQuery({ ...siteQuery, staleTime: 0, retry: false })
      .catch(() => client.getQueryData(siteQuery.queryKey));
    if (ended || !site?.push_enabled || !notificationsEnabled() || !permitted()) return;
    await showNotification(notice);
  }

  /** Shows what quiet time held back, in order, and returns for what it still holds. Only the leader does this. */
  async function showWaiting() {
    clearTimeout(timer);
    if (ended || !leads) return;
    for (const notice of takeDue(Date.now())) {
      if (notice.path === paths.video(notice.id) && (await isGone(notice.id))) continue;
      if (notice.path === paths.update(notice.id) && (await isWithdrawn(notice.id))) continue;
      await show(notice).catch(() => undefined);
    }
    const next = timeToNext(Date.now());
    if (next !== null && !ended) timer = setTimeout(() => void showWaiting(), Math.min(next, longestTimer));
  }

  /** Whether no visible page shows the notice. */
  async function isLeftToUs({ id }: Notice) {
    if (await isLockHeld(inSight)) await new Promise((done) => setTimeout(done, pageTimeout));
    return !ended && !shownBefore(id);
  }

  function takeBack(id: string) {
    removeWaiting(id);
    void navigator.serviceWorker
      .getRegistration("/")
      .then(async (registration) => {
        const shown = (await registration?.getNotifications({ tag: id })) ?? [];
        shown.forEach((notification) => notification.close());
      })
      .catch(() => undefined);
  }

  return {
    leads: () => leads,
    say(notice) {
      const before = shownBefore(notice.id);
      if (!document.hidden) {
        recordShown(notice.id, "here");
        return before !== "by notification";
      }
      if (before || !leads) return false;
      void isLeftToUs(notice)
        .then((ours) => {
          if (!ours) return;
          recordShown(notice.id, "by notification");
          const { quietUntil } = notice;
          if (!quietUntil || Date.parse(quietUntil) <= Date.now()) return show(notice);
          addWaiting({ ...notice, quietUntil });
          return showWaiting();
        })
        .catch(() => undefined);
      return false;
    },
    takeBack,
    recheck(id) {
      if (!leads || shownBefore(id) !== "by notification") return;
      setTimeout(() => void isGone(id).then((gone) => gone && takeBack(id)), Math.random() * spread);
    },
    end() {
      ended = true;
      leads = false;
      clearTimeout(timer);
      leave();
      leaveSight?.();
      document.removeEventListener("visibilitychange", look);
    },
  };
}

/** Removes the service worker after the camp turned off notifications. */
export const withdraw = () => dismissWorker().catch(() => undefined);
