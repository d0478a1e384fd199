import type { QueryClient } from "@tanstack/react-query";
import { mayWatch } from "../api/may-watch";
import { sessionQuery, setEventsConnected, siteQuery } from "../api/queries";
import { follow, type Connection, type EventArguments } from "../events/stream";
import { onEnabledChange } from "../notices/enabled";
import { createAnnouncements } from "./announcements";
import { commentsInCache, createRefresher, updatesInCache } from "./event-cache";
import { followSession } from "./other-tabs";

const changesOften = ["updates", "update", "comments"];
const allQueries = [...changesOften, "videos", "video"];
/** The lists in which a new video appears. */
const listsOfNewVideos = [
  ["videos", "home"],
  ["videos", "newest"],
  ["videos", "list", { collection: "current" }],
];

/** Applies the server's events to the cached queries, so that every page shows them at once. */
export function applyServerEvents(client: QueryClient): () => void {
  const refresher = createRefresher(client);
  const updates = updatesInCache(client, refresher);
  const comments = commentsInCache(client, refresher);
  let connection: Connection | null = null;
  let viewer = "";
  let person: string | null | undefined;
  const announcements = createAnnouncements(client, () => connection?.wake());
  const { device } = announcements;

  function onEvent(...[kind, data]: EventArguments) {
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
        device.current()?.recheck(data.id);
        return refresher.refreshSoon(["videos"], ["video", data.id]);
      case "comment.created":
        return comments.add(data.video_id, data.comment);
      case "comment.removed":
        return comments.remove(data.video_id, data.id);
    }
  }

  const connect = () =>
    follow({
      onEvent,
      // Refetches what may have changed between loading the page and connecting the stream.
      onFirstConnection() {
        refresher.refresh(...changesOften.map((key) => [key]));
        refresher.refreshSoon(...listsOfNewVideos);
      },
      onReconnection: refresher.recheckSession,
      onReset: () => refresher.refresh(...allQueries.map((key) => [key])),
      onConnectionChange: setEventsConnected,
      keepWhileHidden: () => device.current()?.leads() ?? false,
    });

  /** Connects for the current session. Without access there are no events, so the stream stays closed. */
  function choose() {
    const site = client.getQueryData(siteQuery.queryKey);
    const session = client.getQueryData(sessionQuery.queryKey);
    if (!site || !session) return;
    void device.choose(site);
    const user = session.user ?? null;
    const may = mayWatch(site, user);
    const next = may ? (user?.id ?? "anyone") : "";
    const samePerson = person === (user?.id ?? null);
    person = user?.id ?? null;
    if (next === viewer) return;
    viewer = next;
    connection?.end();
    connection = may ? connect() : null;
    // The camp has approved or refused this person, or changed who may watch, so gates and videos replace each other.
    if (samePerson) refresher.refresh(...allQueries.map((key) => [key]));
  }

  choose();
  const stopFollowingCache = client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === siteQuery.queryKey[0] || query.queryKey[0] === sessionQuery.queryKey[0]) choose();
  });
  const stopFollowingSwitch = onEnabledChange(choose);
  const stopFollowingSession = followSession(client);
  return () => {
    stopFollowingCache();
    stopFollowingSwitch();
    stopFollowingSession();
    refresher.stop();
    connection?.end();
    device.end();
  };
}
