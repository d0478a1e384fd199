import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Comment, LiveUpdate, Video } from "../api/client";
import { nextPage, sessionQuery } from "../api/queries";
import { commentsQuery } from "../comments/queries";
import { insertUpdate } from "../updates/order";
import { allUpdatesQuery, newestLimit, newestUpdatesQuery, updateQuery } from "../updates/queries";

type Page<Item> = { items: Item[]; next?: string | null };
type Pages<Item> = InfiniteData<Page<Item>, string>;
type OneUpdate = LiveUpdate & { withdrawn: boolean };

/** Spreads the requests of many pages after a new video, in milliseconds. */
const spread = 2_000;

/**
 * The same, for the session after a reconnection. When the server restarts, all pages reconnect within a second. With
 * ten thousand pages, a thousand per second then ask for the session.
 */
const sessionSpread = 10_000;

/** Marks cached queries as stale, at once or within a few seconds. */
export function createRefresher(client: QueryClient) {
  const timers = new Set<ReturnType<typeof setTimeout>>();

  const refresh = (...keys: (readonly unknown[])[]) =>
    keys.forEach((queryKey) => void client.invalidateQueries({ queryKey }));

  function refreshWithin(time: number, ...keys: (readonly unknown[])[]) {
    const timer = setTimeout(() => {
      timers.delete(timer);
      refresh(...keys);
    }, Math.random() * time);
    timers.add(timer);
  }

  const refreshSoon = (...keys: (readonly unknown[])[]) => refreshWithin(spread, ...keys);

  /** Refetches the session if somebody was signed in. */
  function recheckSession() {
    if (client.getQueryData(sessionQuery.queryKey)?.user) refreshWithin(sessionSpread, sessionQuery.queryKey);
  }

  return { refresh, refreshSoon, recheckSession, stop: () => timers.forEach(clearTimeout) };
}

type Refresher = ReturnType<typeof createRefresher>;

/** Changes cached data, even while an older response is on its way. */
async function change<Data>(
  client: QueryClient,
  { refresh }: Refresher,
  queryKey: readonly unknown[],
  by: (data: Data) => Data,
) {
  // Waits for the next page of a list. Otherwise the request would be canceled, and the button press would be lost.
  const query = client.getQueryCache().find({ queryKey, exact: true });
  const growing = query && nextPage(query);
  if (growing) await growing;
  const asking = client.isFetching({ queryKey, exact: true }) > 0;
  if (asking) await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData<Data>(queryKey, (data) => data && by(data));
  if (asking) refresh(queryKey);
}

/** Shows and removes updates in the cached lists. */
export function updatesInCache(client: QueryClient, refresher: Refresher) {
  function show(update: LiveUpdate) {
    void change<Page<LiveUpdate>>(client, refresher, newestUpdatesQuery.queryKey, (list) => ({
      ...list,
      items: insertUpdate(list.items, update).slice(0, newestLimit),
    }));
    void change<OneUpdate>(client, refresher, updateQuery(update.id).queryKey, () => ({ ...update, withdrawn: false }));
    refresher.refresh(allUpdatesQuery.queryKey);
  }

  function withdraw(id: string) {
    void change<Page<LiveUpdate>>(client, refresher, newestUpdatesQuery.queryKey, (list) => without(list, id));
    void change<Pages<LiveUpdate>>(client, refresher, allUpdatesQuery.queryKey, (list) => withoutIn(list, id));
    void change<OneUpdate>(client, refresher, updateQuery(id).queryKey, (one) => ({
      ...one,
      title: "",
      message: "",
      author: "",
      withdrawn: true,
    }));
    // Another update takes the free slot.
    refresher.refreshSoon(newestUpdatesQuery.queryKey);
  }

  return { show, withdraw };
}

/** Adds and removes comments in the cached lists, and updates their count. */
export function commentsInCache(client: QueryClient, refresher: Refresher) {
  const count = (videoId: string, by: number) =>
    void change<Video>(client, refresher, ["video", videoId], (video) => ({
      ...video,
      comment_count: Math.max(0, video.comment_count + by),
    }));

  function add(videoId: string, comment: Comment) {
    void change<Pages<Comment>>(client, refresher, commentsQuery(videoId).queryKey, (known) => {
      const [first, ...others] = known.pages;
      if (!first) return known;
      if (includes(known, comment.id)) return approved(known, comment.id);
      count(videoId, 1);
      const items = [comment, ...first.items].toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
      return { ...known, pages: [{ ...first, items }, ...others] };
    });
  }

  function remove(videoId: string, id: string) {
    void change<Pages<Comment>>(client, refresher, commentsQuery(videoId).queryKey, (known) => {
      if (!includes(known, id)) return known;
      count(videoId, -1);
      return withoutIn(known, id);
    });
  }

  return { add, remove };
}

const includes = ({ pages }: Pages<Comment>, id: string) =>
  pages.some(({ items }) => items.some((comment) => comment.id === id));

/** The viewer's own comment was approved, and everybody can see it now. */
const approved = (known: Pages<Comment>, id: string): Pages<Comment> => ({
  ...known,
  pages: known.pages.map((page) => ({
    ...page,
    items: page.items.map((comment) => (comment.id === id ? { ...comment, held: false } : comment)),
  })),
});

const without = <Item extends { id: string }>(page: Page<Item>, id: string): Page<Item> => ({
  ...page,
  items: page.items.filter((item) => item.id !== id),
});

const withoutIn = <Item extends { id: string }>(list: Pages<Item>, id: string): Pages<Item> => ({
  ...list,
  pages: list.pages.map((page) => without(page, id)),
});
