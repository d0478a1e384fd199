import type { QueryClient } from "@tanstack/react-query";
import { mayWatch } from "../api/may-watch";
import { sessionQuery, setEventsConnected, siteQuery } from "../api/queries";
import { follow, type Line, type Told } from "../events/stream";
import { onEnabledChange } from "../notices/enabled";
import { createAnnouncements } from "./live-announcements";
import { commentsInCache, createRefresher, updatesInCache } from "./live-cache";

const lively = ["updates", "update", "comments"];
const everything = [...lively, "videos", "video"];
/** The lists that a new video appears in. */
const tonight = [
  ["videos", "home"],
  ["videos", "newest"],
  ["videos", "list", { collection: "current" }],
];

/** Applies the server's events to the cached queries, so that every page shows them at once. */
export function live(client: QueryClient): () => void {
  const refresher = createRefresher(client);
  const updates = updatesInCache(client, refresher);
  const comments = commentsInCache(client, refresher);
  let line: Line | null = null;
  let listener = "";
  const announcements = createAnnouncements(client, () => line?.wake());
  const { device } = announcements;

  function tell(...[kind, data]: Told) {
    switch (kind) {
      case "update.created":
        announcements.update(data);
        return updates.show(data);
      case "update.changed":
        return updates.show(data);
      case "update.removed":
        device.current()?.takeBack(data.id);
        return updates.withdraw(data.id);
      case "video.published":
        announcements.video(data);
        return refresher.refreshSoon(["videos"], ["video", data.id]);
      case "video.changed":
        return refresher.refreshSoon(["videos"], ["video", data.id]);
      case "comment.created":
        return comments.add(data.video_id, data.comment);
      case "comment.removed":
        return comments.remove(data.video_id, data.id);
    }
  }

  const connect = () =>
    follow({
      tell,
      // Reads again what may have changed between the load of the page and the connection of the stream.
      begin() {
        refresher.refresh(...lively.map((key) => [key]));
        refresher.refreshSoon(...tonight);
      },
      reset: () => refresher.refresh(...everything.map((key) => [key])),
      following: setEventsConnected,
      unseen: () => device.current()?.leads() ?? false,
    });

  /** Connects for whoever is signed in. Without access there are no events, so the stream stays closed. */
  function choose() {
    const site = client.getQueryData(siteQuery.queryKey);
    const session = client.getQueryData(sessionQuery.queryKey);
    if (!site || !session) return;
    void device.choose(site);
    const user = session.user ?? null;
    const may = mayWatch(site, user);
    const next = may ? (user?.id ?? "anyone") : "";
    if (next === listener) return;
    listener = next;
    line?.end();
    line = may ? connect() : null;
  }

  choose();
  const stopFollowingCache = client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === siteQuery.queryKey[0] || query.queryKey[0] === sessionQuery.queryKey[0]) choose();
  });
  const stopFollowingSwitch = onEnabledChange(choose);
  return () => {
    stopFollowingCache();
    stopFollowingSwitch();
    refresher.stop();
    line?.end();
    device.end();
  };
}
