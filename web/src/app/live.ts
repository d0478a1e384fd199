import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Comment, LiveUpdate, Site, Video } from "../api/client";
import { mayWatch } from "../api/may-watch";
import { nextPage, sessionQuery, siteQuery, setEventsConnected } from "../api/queries";
import { commentsQuery } from "../comments/queries";
import { follow, type Line, type Told } from "../events/stream";
import { minutesSince } from "../lib/format";
import { paths } from "../lib/paths";
import type { Notice } from "../notices/device";
import type { Notices } from "../notices/notices";
import { onEnabledChange, notificationsEnabled } from "../notices/enabled";
import { toast } from "../ui/toast";
import { splitScripts } from "../ui/two-scripts";
import { allUpdatesQuery, newestLimit, newestUpdatesQuery, insertUpdate, updateQuery } from "../updates/queries";

type Page<Item> = { items: Item[]; next?: string | null };
type Pages<Item> = InfiniteData<Page<Item>, string>;

const lively = ["updates", "update", "comments"];
const everything = [...lively, "videos", "video"];
/** The lists that a new video appears in. */
const tonight = [
  ["videos", "home"],
  ["videos", "newest"],
  ["videos", "list", { collection: "current" }],
];

/** Spreads the requests of many pages after a new video, in milliseconds. */
const spread = 2_000;

/** Applies the server's events to the cached queries, so that every page shows them at once. */
export function live(client: QueryClient): () => void {
  const announced = new Set<string>();
  const later = new Set<ReturnType<typeof setTimeout>>();

  const refresh = (...keys: (readonly unknown[])[]) =>
    keys.forEach((queryKey) => void client.invalidateQueries({ queryKey }));

  function refreshSoon(...keys: (readonly unknown[])[]) {
    const timer = setTimeout(() => {
      later.delete(timer);
      refresh(...keys);
    }, Math.random() * spread);
    later.add(timer);
  }

  /** Reads again what may have changed between the load of the page and the connection of the stream. */
  function begin() {
    lively.forEach((key) => refresh([key]));
    refreshSoon(...tonight);
  }

  /** A page that was asleep for hours shows what it missed without announcing it. */
  const isNews = (id: string, at: string) => !announced.has(id) && minutesSince(at) < 2 * 60;

  function say(notice: Notice, title: string) {
    announced.add(notice.id);
    if (device?.say(notice) ?? true) toast({ title, description: notice.title });
  }

  const campName = () => splitScripts(client.getQueryData<Site>(siteQuery.queryKey)?.site_name ?? "")[0];

  function announce({ id, title, message, created_at }: LiveUpdate) {
    if (isNews(id, created_at))
      say({ id, title, body: message, path: paths.update(id) }, `New ${campName()} Camp Update!`.replace("  ", " "));
  }

  function announceVideo({ id, title, published_at }: { id: string; title: string; published_at: string }) {
    // The lists show the video anyway; it is announced only to those who switched notifications on.
    if (device && isNews(id, published_at))
      say({ id, title, body: `A new video from ${campName()}`, path: paths.video(id) }, "New video");
  }

  /** Changes cached data, also while an older response is still on its way. */
  async function change<Data>(queryKey: readonly unknown[], by: (data: Data) => Data) {
    // The next page of a list is waited for: whoever pressed for it would press in vain.
    const query = client.getQueryCache().find({ queryKey, exact: true });
    const growing = query && nextPage(query);
    if (growing) await growing;
    const asking = client.isFetching({ queryKey, exact: true }) > 0;
    if (asking) await client.cancelQueries({ queryKey, exact: true });
    client.setQueryData<Data>(queryKey, (data) => data && by(data));
    if (asking) refresh(queryKey);
  }

  function show(update: LiveUpdate) {
    void change<Page<LiveUpdate>>(newestUpdatesQuery.queryKey, (list) => ({
      ...list,
      items: insertUpdate(list.items, update).slice(0, newestLimit),
    }));
    void change<LiveUpdate & { withdrawn: boolean }>(updateQuery(update.id).queryKey, () => ({
      ...update,
      withdrawn: false,
    }));
    refresh(allUpdatesQuery.queryKey);
  }

  function withdraw(id: string) {
    void change<Page<LiveUpdate>>(newestUpdatesQuery.queryKey, (list) => without(list, id));
    void change<Pages<LiveUpdate>>(allUpdatesQuery.queryKey, (list) => withoutIn(list, id));
    void change<LiveUpdate & { withdrawn: boolean }>(updateQuery(id).queryKey, (one) => ({
      ...one,
      title: "",
      message: "",
      author: "",
      withdrawn: true,
    }));
    // Another update takes the free place.
    refreshSoon(newestUpdatesQuery.queryKey);
  }

  const knows = ({ pages }: Pages<Comment>, id: string) =>
    pages.some(({ items }) => items.some((comment) => comment.id === id));

  function addComment(videoId: string, comment: Comment) {
    void change<Pages<Comment>>(commentsQuery(videoId).queryKey, (known) => {
      const [first, ...others] = known.pages;
      if (!first) return known;
      if (knows(known, comment.id)) return shownToAll(known, comment.id);
      countComments(videoId, 1);
      const items = [comment, ...first.items].toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
      return { ...known, pages: [{ ...first, items }, ...others] };
    });
  }

  /** One's own comment was approved and is visible to everybody now. */
  const shownToAll = (known: Pages<Comment>, id: string): Pages<Comment> => ({
    ...known,
    pages: known.pages.map((page) => ({
      ...page,
      items: page.items.map((comment) => (comment.id === id ? { ...comment, held: false } : comment)),
    })),
  });

  function removeComment(videoId: string, id: string) {
    void change<Pages<Comment>>(commentsQuery(videoId).queryKey, (known) => {
      if (!knows(known, id)) return known;
      countComments(videoId, -1);
      return withoutIn(known, id);
    });
  }

  const countComments = (videoId: string, by: number) =>
    void change<Video>(["video", videoId], (video) => ({
      ...video,
      comment_count: Math.max(0, video.comment_count + by),
    }));

  function tell(...[kind, data]: Told) {
    switch (kind) {
      case "update.created":
        announce(data);
        return show(data);
      case "update.changed":
        return show(data);
      case "update.removed":
        device?.takeBack(data.id);
        return withdraw(data.id);
      case "video.published":
        announceVideo(data);
        return refreshSoon(["videos"], ["video", data.id]);
      case "video.changed":
        return refreshSoon(["videos"], ["video", data.id]);
      case "comment.created":
        return addComment(data.video_id, data.comment);
      case "comment.removed":
        return removeComment(data.video_id, data.id);
    }
  }

  // Without access there are no events, so the stream stays closed.
  let line: Line | null = null;
  let listener = "";
  function choose() {
    const site = client.getQueryData<Site>(siteQuery.queryKey);
    const session = client.getQueryData(sessionQuery.queryKey);
    if (!site || !session) return;
    void chooseDevice(site);
    const user = session.user ?? null;
    const may = mayWatch(site, user);
    const next = may ? (user?.id ?? "anyone") : "";
    if (next === listener) return;
    listener = next;
    line?.end();
    const reset = () => everything.forEach((key) => refresh([key]));
    line = may
      ? follow({ tell, begin, reset, following: setEventsConnected, unseen: () => device?.leads() ?? false })
      : null;
  }

  let device: Notices | null = null;
  let wanted: "on" | "withdrawn" | null = null;
  let left = false;
  /** The code for notifications is loaded only where somebody switched them on. */
  async function chooseDevice({ push_enabled }: Site) {
    const now = left || !notificationsEnabled() ? null : push_enabled ? "on" : "withdrawn";
    if (now === wanted) return;
    wanted = now;
    device?.end();
    device = null;
    if (!now) return;
    const part = await import("../notices/notices").catch(() => null);
    if (!part || wanted !== now) return;
    if (now === "on") device = part.notices(client, () => line?.wake());
    else void part.withdraw();
  }

  choose();
  const stop = client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === siteQuery.queryKey[0] || query.queryKey[0] === sessionQuery.queryKey[0]) choose();
  });
  const stopRemembered = onEnabledChange(choose);
  return () => {
    left = true;
    stop();
    stopRemembered();
    later.forEach(clearTimeout);
    line?.end();
    device?.end();
  };
}

const without = <Item extends { id: string }>(page: Page<Item>, id: string): Page<Item> => ({
  ...page,
  items: page.items.filter((item) => item.id !== id),
});

const withoutIn = <Item extends { id: string }>(list: Pages<Item>, id: string): Pages<Item> => ({
  ...list,
  pages: list.pages.map((page) => without(page, id)),
});
