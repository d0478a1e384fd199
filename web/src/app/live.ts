import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Comment, LiveUpdate, Site, Video } from "../api/client";
import { sessionQuery, siteQuery, toldOfNews } from "../api/queries";
import { commentsQuery } from "../comments/queries";
import { follow, type Kind } from "../events/stream";
import { minutesSince } from "../lib/format";
import { toast } from "../ui/toast";
import { splitScripts } from "../ui/two-scripts";
import { allUpdatesQuery, newestLimit, newestUpdatesQuery, placed, updateQuery } from "../updates/queries";

type Pages<Item> = InfiniteData<{ items: Item[]; next?: string | null }, string>;

const lively = ["updates", "update", "comments"];
const everything = [...lively, "videos", "video"];

/** A thousand pages that hear of tonight's video should not all ask at the same moment. */
const spread = 2_000;

/** Lets what happens at camp appear on this page by itself, wherever it is shown. */
export function live(client: QueryClient): () => void {
  const announced = new Set<string>();
  const later = new Set<ReturnType<typeof setTimeout>>();

  const refresh = (...keys: (readonly unknown[])[]) => keys.forEach((queryKey) => void client.invalidateQueries({ queryKey }));

  function refreshSoon(...keys: (readonly unknown[])[]) {
    const timer = setTimeout(() => {
      later.delete(timer);
      refresh(...keys);
    }, Math.random() * spread);
    later.add(timer);
  }

  function announce(update: LiveUpdate) {
    // A page that slept through the afternoon shows what it missed without shouting it.
    if (announced.has(update.id) || minutesSince(update.created_at) >= 2 * 60) return;
    announced.add(update.id);
    const site = client.getQueryData<Site>(siteQuery.queryKey);
    toast({ title: `New ${splitScripts(site?.site_name ?? "")[0]} Camp Update!`.replace("  ", " "), description: update.title });
  }

  function show(update: LiveUpdate) {
    client.setQueryData(newestUpdatesQuery.queryKey, (list) => list && { ...list, items: placed(list.items, update).slice(0, newestLimit) });
    client.setQueryData(updateQuery(update.id).queryKey, (one) => one && { ...update, withdrawn: false });
    refresh(allUpdatesQuery.queryKey);
  }

  function withdraw(id: string) {
    client.setQueryData(newestUpdatesQuery.queryKey, (list) => list && { ...list, items: list.items.filter((update) => update.id !== id) });
    client.setQueryData<Pages<LiveUpdate>>(allUpdatesQuery.queryKey, (list) => without(list, id));
    client.setQueryData(updateQuery(id).queryKey, (one) => one && { ...one, title: "", message: "", author: "", withdrawn: true });
    // Others move up into the free place.
    refreshSoon(newestUpdatesQuery.queryKey);
  }

  function addComment(videoId: string, comment: Comment) {
    const { queryKey } = commentsQuery(videoId);
    const known = client.getQueryData<Pages<Comment>>(queryKey);
    if (!known || known.pages.some(({ items }) => items.some(({ id }) => id === comment.id))) return;
    const [first, ...others] = known.pages;
    if (!first) return;
    const items = [comment, ...first.items].toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
    client.setQueryData<Pages<Comment>>(queryKey, { ...known, pages: [{ ...first, items }, ...others] });
    countComments(videoId, 1);
  }

  function removeComment(videoId: string, id: string) {
    const { queryKey } = commentsQuery(videoId);
    const known = client.getQueryData<Pages<Comment>>(queryKey);
    if (!known?.pages.some(({ items }) => items.some((comment) => comment.id === id))) return;
    client.setQueryData<Pages<Comment>>(queryKey, (list) => without(list, id));
    countComments(videoId, -1);
  }

  const countComments = (videoId: string, change: number) =>
    client.setQueryData<Video>(["video", videoId], (video) => video && { ...video, comment_count: Math.max(0, video.comment_count + change) });

  function tell(kind: Kind, data: any) {
    switch (kind) {
      case "update.created":
        announce(data);
        return show(data);
      case "update.changed":
        return show(data);
      case "update.removed":
        return withdraw(data.id);
      case "video.published":
      case "video.changed":
        return refreshSoon(["videos"], ["video", data.id]);
      case "comment.created":
        return addComment(data.video_id, data.comment);
      case "comment.removed":
        return removeComment(data.video_id, data.id);
    }
  }

  // Whoever may not watch is told nothing, so there is no line to keep open.
  let end: (() => void) | null = null;
  let listener = "";
  function choose() {
    const site = client.getQueryData<Site>(siteQuery.queryKey);
    const session = client.getQueryData(sessionQuery.queryKey);
    if (!site || !session) return;
    const { user } = session;
    const may = site.access === "everyone" || (site.access === "signed_in" ? Boolean(user) : Boolean(user?.family));
    const next = may ? (user?.id ?? "anyone") : "";
    if (next === listener) return;
    listener = next;
    end?.();
    end = may ? follow({ tell, begin: () => lively.forEach((key) => refresh([key])), reset: () => everything.forEach((key) => refresh([key])), following: toldOfNews }) : null;
  }

  choose();
  const stop = client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === siteQuery.queryKey[0] || query.queryKey[0] === sessionQuery.queryKey[0]) choose();
  });
  return () => {
    stop();
    later.forEach(clearTimeout);
    end?.();
  };
}

const without = <Item extends { id: string }>(list: Pages<Item> | undefined, id: string) =>
  list && { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.filter((item) => item.id !== id) })) };
