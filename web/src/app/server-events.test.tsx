import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { eventLine } from "../test/events";
import { card, chaya, comment, list, open, refuse, server, site, update, video } from "../test/portal";

let line: ReturnType<typeof eventLine>;

beforeEach(() => {
  vi.stubGlobal("requestIdleCallback", (run: () => void) => setTimeout(run, 0));
  vi.stubGlobal("cancelIdleCallback", clearTimeout);
  vi.spyOn(Math, "random").mockReturnValue(0);
  line = eventLine();
});

const listening = () => waitFor(() => expect(line.open()).toHaveLength(1));
/** Waits until the event stream is connected, and what the page then requested has arrived. */
async function settled() {
  await listening();
  line.hello(1);
  await act(() => new Promise((done) => setTimeout(done, 30)));
}
const fresh = (change = {}) => update({ created_at: new Date().toISOString(), ...change });
const updates = async () => within(await screen.findByRole("region", { name: "Live updates" }));

describe("a new update", () => {
  async function home() {
    const camp = server({ "GET /api/live-updates": list(update()) });
    const user = open("/");
    await (await updates()).findByText("Package room closes at 5");
    await settled();
    return { camp, user };
  }

  it("appears at once, with a toast of five seconds, once", async () => {
    await home();
    vi.useFakeTimers({ shouldAdvanceTime: true });
    line.tell("update.created", fresh({ id: "n2", title: "The buses have left" }), "2");
    expect(screen.getByText("New Camp Pine Lake Camp Update!")).toBeTruthy();
    await waitFor(() => expect(screen.getAllByText("The buses have left")).toHaveLength(2));
    line.tell("update.created", fresh({ id: "n2", title: "The buses have left" }), "3");
    expect(screen.getAllByText("New Camp Pine Lake Camp Update!")).toHaveLength(1);
    act(() => vi.advanceTimersByTime(5_100));
    expect(screen.queryByText("New Camp Pine Lake Camp Update!")).toBeNull();
    expect(screen.getAllByText("The buses have left")).toHaveLength(1);
  });

  it("that was missed for hours is shown without a toast", async () => {
    await home();
    line.tell(
      "update.created",
      update({ id: "n2", title: "Slept through", created_at: new Date(Date.now() - 3 * 3_600_000).toISOString() }),
      "2",
    );
    expect(await screen.findByText("Slept through")).toBeTruthy();
    expect(screen.queryByText(/Camp Update!/)).toBeNull();
  });

  it("changes and disappears as staff change and withdraw it", async () => {
    const { camp } = await home();
    line.tell("update.changed", update({ title: "Package room closes at 6" }), "2");
    expect(await screen.findByText("Package room closes at 6")).toBeTruthy();
    expect(screen.queryByText(/Camp Update!/)).toBeNull();
    camp.answer("GET /api/live-updates", list());
    line.tell("update.removed", { id: "n1" }, "3");
    expect(await screen.findByText("No updates right now")).toBeTruthy();
    expect(screen.queryByText("Package room closes at 6")).toBeNull();
  });
});

describe("the next page of a list that is on its way", () => {
  /** A server that sends the second page only when the test tells it to. */
  function slow<Item>(first: Item, second: Item) {
    let come = () => {};
    const pages = ({ query }: { query: { cursor?: string; limit?: string } }) =>
      query.cursor ? new Promise((done) => (come = () => done(list(second)))) : { items: [first], next: "more" };
    return { pages, come: () => act(async () => come()) };
  }

  it("is not lost to an update that comes meanwhile", async () => {
    const { pages, come } = slow(update(), update({ id: "old", title: "The first of the summer" }));
    const camp = server({ "GET /api/live-updates": pages });
    const user = open("/updates");
    await screen.findByText("Package room closes at 5");
    await listening();
    await user.click(screen.getByRole("button", { name: "Load more updates" }));
    line.hello(1);
    line.tell("update.created", fresh({ id: "n2", title: "The buses have left" }), "2");
    await act(() => new Promise((done) => setTimeout(done, 30)));
    const asked = camp.asked("GET", "/api/live-updates").length;
    await come();
    expect(await screen.findByText("The first of the summer")).toBeTruthy();
    await waitFor(() =>
      expect(camp.asked("GET", "/api/live-updates").length, "and the list is refreshed after it").toBeGreaterThan(
        asked,
      ),
    );
  });

  it("does not lose the update whose refresh it canceled", async () => {
    const { pages, come } = slow(update(), update({ id: "old", title: "The first of the summer" }));
    const camp = server({ "GET /api/live-updates": pages });
    const user = open("/updates");
    await screen.findByText("Package room closes at 5");
    await settled();
    camp.answer("GET /api/live-updates", () => new Promise(() => undefined));
    line.tell("update.created", fresh({ id: "n2", title: "The buses have left" }), "2");
    await act(() => new Promise((done) => setTimeout(done, 30)));
    camp.answer("GET /api/live-updates", pages);
    await user.click(screen.getByRole("button", { name: "Load more updates" }));
    camp.answer("GET /api/live-updates", ({ query }: { query: { cursor?: string } }) =>
      query.cursor
        ? list(update({ id: "old", title: "The first of the summer" }))
        : { items: [fresh({ id: "n2", title: "The buses have left" }), update()], next: "more" },
    );
    await come();
    expect(await screen.findByRole("link", { name: "The buses have left" })).toBeTruthy();
    expect(await screen.findByText("The first of the summer")).toBeTruthy();
  });

  it("says that it failed until the next try, also when the list is refreshed meanwhile", async () => {
    const pages = ({ query }: { query: { cursor?: string } }) =>
      query.cursor ? refuse(503, "busy") : { items: [update()], next: "more" };
    const camp = server({ "GET /api/live-updates": pages });
    const user = open("/updates");
    await screen.findByText("Package room closes at 5");
    await settled();
    await user.click(screen.getByRole("button", { name: "Load more updates" }));
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    await screen.findByRole("alert");
    const asked = camp.asked("GET", "/api/live-updates").length;
    line.tell("update.changed", update(), "2");
    await waitFor(() => expect(camp.asked("GET", "/api/live-updates").length).toBeGreaterThan(asked));
    await settled();
    expect(screen.getByRole("alert")).toBeTruthy();

    camp.answer("GET /api/live-updates", ({ query }: { query: { cursor?: string } }) =>
      query.cursor
        ? list(update({ id: "old", title: "The first of the summer" }))
        : { items: [update()], next: "more" },
    );
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("The first of the summer")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("is not lost to a comment that comes meanwhile, and neither is the comment", async () => {
    const { pages, come } = slow(comment(), comment({ id: "old", content: "The very first" }));
    server({ "GET /api/videos/v1": video({ comment_count: 2 }), "GET /api/videos/v1/comments": pages });
    const user = open("/video/v1");
    await screen.findByText("We could hear them in the song.");
    await settled();
    await user.click(screen.getByRole("button", { name: "Show older comments" }));
    line.tell(
      "comment.created",
      { video_id: "v1", comment: comment({ id: "c2", content: "Chazak!", created_at: new Date().toISOString() }) },
      "2",
    );
    await act(() => new Promise((done) => setTimeout(done, 30)));
    await come();
    expect(await screen.findByText("The very first")).toBeTruthy();
    expect(await screen.findByText("Chazak!")).toBeTruthy();
  });
});

it("an open update says that it was withdrawn", async () => {
  server({ "GET /api/live-updates/n1": { ...update(), withdrawn: false } });
  open("/updates/n1");
  await screen.findByRole("heading", { name: "Package room closes at 5" });
  await settled();
  line.tell("update.removed", { id: "n1" }, "2");
  expect(await screen.findByRole("heading", { name: "This update was removed" })).toBeTruthy();
});

it("comments of the open video come and go", async () => {
  server({ "GET /api/videos/v1": video({ comment_count: 1 }), "GET /api/videos/v1/comments": list(comment()) });
  open("/video/v1");
  await screen.findByText("We could hear them in the song.");
  await settled();
  const written = comment({ id: "c2", content: "Chazak!", created_at: new Date().toISOString() });
  line.tell("comment.created", { video_id: "v1", comment: written }, "2");
  line.tell("comment.created", { video_id: "v2", comment: comment({ id: "c3", content: "Of another video" }) }, "3");
  expect(await screen.findByText("Chazak!")).toBeTruthy();
  expect(await screen.findByText("2 comments")).toBeTruthy();
  expect(screen.queryByText("Of another video")).toBeNull();
  line.tell("comment.removed", { video_id: "v1", id: "c1" }, "4");
  await waitFor(() => expect(screen.queryByText("We could hear them in the song.")).toBeNull());
  expect(await screen.findByText("1 comment")).toBeTruthy();
});

it("one's own comment stops waiting when the camp has read it", async () => {
  const mine = comment({ id: "c2", content: "My first", mine: true, held: true });
  server({
    "GET /api/session": { user: chaya },
    "GET /api/videos/v1": video({ comment_count: 0 }),
    "GET /api/videos/v1/comments": list(mine),
  });
  open("/video/v1");
  await screen.findByText("Waiting for the camp to approve it");
  await settled();
  line.tell("comment.created", { video_id: "v1", comment: { ...mine, mine: false, held: false } }, "2");
  await waitFor(() => expect(screen.queryByText("Waiting for the camp to approve it")).toBeNull());
  expect(screen.getAllByText("My first")).toHaveLength(1);
  expect(screen.getByRole("button", { name: /^Delete comment/ })).toBeTruthy();
});

it("a published video appears in the lists", async () => {
  const camp = server({});
  open("/current-videos");
  await screen.findByText("No videos uploaded for this year yet");
  await settled();
  camp.answer("GET /api/videos", list(card()));
  line.tell("video.published", { id: "v1", title: "Color War breaks out" }, "2");
  expect(await screen.findByRole("link", { name: "Color War breaks out" })).toBeTruthy();
});

it("a video that was published before the stream connected is not missed", async () => {
  const camp = server({});
  open("/current-videos");
  await screen.findByText("No videos uploaded for this year yet");
  await listening();
  camp.answer("GET /api/videos", list(card()));
  line.hello(1);
  expect(await screen.findByRole("link", { name: "Color War breaks out" })).toBeTruthy();
});

it("after a reset everything is fetched again", async () => {
  const camp = server({ "GET /api/live-updates": list(update()) });
  open("/");
  await (await updates()).findByText("Package room closes at 5");
  await settled();
  const asked = () => camp.asked("GET", "/api/videos").length;
  const before = asked();
  camp.answer("GET /api/live-updates", list(update({ title: "Missed meanwhile" })));
  line.tell("reset", {}, "900");
  expect(await screen.findByText("Missed meanwhile")).toBeTruthy();
  expect(asked()).toBeGreaterThan(before);
});

it("an answer that is older than the news does not undo them", async () => {
  let answer: (list: unknown) => void = () => undefined;
  const camp = server({ "GET /api/live-updates": list(update()) });
  open("/");
  await (await updates()).findByText("Package room closes at 5");
  await listening();
  camp.answer("GET /api/live-updates", () => new Promise((done) => (answer = done)));
  line.hello(1);
  await waitFor(() => expect(camp.asked("GET", "/api/live-updates")).toHaveLength(2));
  const late = answer;
  const news = fresh({ id: "n2", title: "The buses have left" });
  camp.answer("GET /api/live-updates", list(news, update()));
  line.tell("update.created", news, "2");
  await (await updates()).findByText("The buses have left");
  await act(async () => late(list(update())));
  await act(() => new Promise((done) => setTimeout(done, 30)));
  expect((await updates()).getByText("The buses have left")).toBeTruthy();
});

it("people who may not watch get no event stream", async () => {
  server({
    "GET /api/site": { ...site, access: "families" },
    "GET /api/session": { user: { ...chaya, family: false } },
  });
  open("/");
  await screen.findByRole("link", { name: /View Profile/ });
  await act(() => new Promise((done) => setTimeout(done, 50)));
  expect(line.lines).toHaveLength(0);
});

describe("somebody who waits for the camp's approval", () => {
  const waiting = { ...chaya, family: false, awaiting_approval: true };
  const gate = { name: "Waiting for the camp's approval" };

  function evening() {
    return server({
      "GET /api/site": { ...site, access: "families" },
      "GET /api/session": { user: waiting },
      "GET /api/videos/v1": refuse(403, "awaiting_approval"),
      "GET /api/videos/v1/comments": list(),
    });
  }

  it("sees the video within half a minute of it, and the page then stops looking so often", async () => {
    const camp = evening();
    vi.useFakeTimers({ shouldAdvanceTime: true });
    open("/video/v1");
    expect(await screen.findByRole("heading", gate)).toBeTruthy();
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect(camp.asked("GET", "/api/session").length).toBeGreaterThan(1);
    expect(screen.getByRole("heading", gate)).toBeTruthy();
    camp.answer("GET /api/session", { user: chaya });
    camp.answer("GET /api/videos/v1", video());
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect(await screen.findByRole("heading", { level: 1, name: "Color War breaks out" })).toBeTruthy();
    await listening();
    const asked = camp.asked("GET", "/api/session").length;
    await act(() => vi.advanceTimersByTimeAsync(120_000));
    expect(camp.asked("GET", "/api/session")).toHaveLength(asked);
  });

  it("sees the gate again when the camp takes the approval back", async () => {
    const camp = evening();
    camp.answer("GET /api/session", { user: chaya });
    camp.answer("GET /api/videos/v1", video());
    vi.useFakeTimers({ shouldAdvanceTime: true });
    open("/video/v1");
    expect(await screen.findByRole("heading", { level: 1, name: "Color War breaks out" })).toBeTruthy();
    await listening();
    line.hello(1);
    camp.answer("GET /api/session", { user: waiting });
    camp.answer("GET /api/videos/v1", refuse(403, "awaiting_approval"));
    line.cut();
    await act(() => vi.advanceTimersByTimeAsync(1_500));
    line.hello(2);
    expect(await screen.findByRole("heading", gate)).toBeTruthy();
    await waitFor(() => expect(line.open()).toHaveLength(0));
  });
});

it("signing out reopens the event stream", async () => {
  server({ "GET /api/session": { user: chaya }, "POST /api/auth/sign-out": null });
  const user = open("/");
  await settled();
  await user.click(await screen.findByRole("button", { name: "Sign Out" }));
  await screen.findByText("Signed Out");
  await waitFor(() => expect(line.lines).toHaveLength(2));
  expect(line.open()).toHaveLength(1);
});
