import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { card, list, never, open, refuse, server, site } from "../test/portal";
import { announcementOf } from "./hero";

const three = list(
  card({ latest: true }),
  card({ id: "v2", title: "Trip to the ridge" }),
  card({ id: "v3", title: "Swim relay", description: null }),
);
const latest = async () => within(await screen.findByRole("region", { name: "Latest videos" }));

it("the carousel leads to today's report, and to who we are", async () => {
  server({ "GET /api/videos": three });
  open("/");
  const hero = within(await screen.findByRole("region", { name: "Camp through the day" }));
  expect(hero.getByRole("link", { name: "View Today's Report" }).getAttribute("href")).toBe("/current-videos");
  expect(hero.getByRole("link", { name: "Learn More about the camp" }).getAttribute("href")).toBe("/about");
});

describe("the latest videos", () => {
  it("are one featured and two more, with links to all others", async () => {
    server({ "GET /api/videos": three });
    open("/");
    const section = await latest();
    expect(await section.findAllByRole("article")).toHaveLength(3);
    expect(section.getByRole("link", { name: "Color War breaks out" }).getAttribute("href")).toBe("/video/v1");
    expect(section.getByRole("link", { name: "View All Current Videos" }).getAttribute("href")).toBe("/current-videos");
    expect(section.getByRole("link", { name: "Explore Video Archives" }).getAttribute("href")).toBe("/past-videos");
    expect(section.getAllByText("128 reads")).toHaveLength(3);
    expect(section.getAllByText("1 comment")).toHaveLength(3);
    expect(section.getAllByText("Latest")).toHaveLength(1);
    expect(document.title).toBe("Home - Camp Pine Lake");
  });

  it("have a skeleton while they are on their way", async () => {
    server({ "GET /api/videos": never });
    open("/");
    expect((await latest()).getByRole("status", { name: "Loading videos" })).toBeTruthy();
  });

  it("say so when there are none", async () => {
    server({});
    open("/");
    expect(await screen.findByText("No videos available yet. Check back soon!")).toBeTruthy();
  });

  it("do not show a failure as an empty list, and load on Retry", async () => {
    const camp = server({ "GET /api/videos": refuse(500, "internal", "Something went wrong.") });
    const user = open("/");
    const retry = await screen.findByRole("button", { name: "Retry" });
    expect(screen.queryByText(/No videos available yet/)).toBeNull();
    camp.answer("GET /api/videos", three);
    await user.click(retry);
    expect(await screen.findByRole("link", { name: "Trip to the ridge" })).toBeTruthy();
  });
});

describe("the hero", () => {
  beforeEach(() => {
    vi.stubEnv("TZ", site.timezone);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const at = (published_at: string) => announcementOf(card({ published_at }), site, new Date("2026-07-30T01:00:00Z"));

  it("promises tonight's video, or last night's, and claims no more of an older one", () => {
    expect(at("2026-07-30T00:41:00Z")).toMatchObject({ headline: "Tonight’s video is up.", when: "Tonight, 8:41 PM" });
    expect(at("2026-07-29T14:00:00Z")).toMatchObject({ headline: "Today’s video is up.", when: "Today, 10:00 AM" });
    expect(at("2026-07-29T01:00:00Z")).toMatchObject({ headline: "Last night’s video is here." });
    expect(at("2026-07-28T01:00:00Z")).toMatchObject({ headline: "The latest from camp.", when: "Wed, Jul 29" });
  });

  it("calls no video of an earlier summer news", () => {
    const old = card({ published_at: "2026-07-29T14:00:00Z", upload_date: "2025-08-20" });
    const { headline } = announcementOf(old, site, new Date("2026-07-30T01:00:00Z"));
    expect(headline).toBe("The latest from camp.");
  });

  it("shows the newest video, also when an older one is featured", async () => {
    const cards = [
      card({ id: "v1", title: "Featured", upload_date: "2026-07-20" }),
      ...["v2", "v3", "v4", "v5"].map((id, i) => card({ id, title: `New ${id}`, upload_date: `2026-07-2${9 - i}` })),
    ];
    server({
      "GET /api/videos": ({ query }: { query: { collection?: string } }) =>
        query.collection === "home" ? list(...cards.slice(0, 3)) : list(...cards.slice(1)),
    });
    open("/");
    const region = within(await screen.findByRole("region", { name: "Camp through the day" }));
    expect(await region.findByRole("link", { name: "New v2" })).toBeTruthy();
    const section = await latest();
    const names = async () =>
      (await section.findAllByRole("article")).map((article) => within(article).getByRole("link").textContent);
    await waitFor(async () => expect(await names()).toEqual(["Featured", "New v3", "New v4"]));
  });

  it("names the camp's zone to readers in another one", () => {
    vi.stubEnv("TZ", "Asia/Jerusalem");
    expect(at("2026-07-30T00:41:00Z").when).toBe("Tonight, 8:41 PM EDT");
  });

  it("shows the newest video, and the list below the next three", async () => {
    const older = ["v2", "v3", "v4"].map((id) => card({ id, title: `Older ${id}` }));
    server({
      "GET /api/videos": ({ query }: { query: { collection: string } }) =>
        query.collection === "home"
          ? list(card({ latest: true }), ...older.slice(0, 2))
          : list(card({ latest: true }), ...older),
    });
    open("/");
    expect(await screen.findByRole("heading", { name: "The latest from camp.", level: 1 })).toBeTruthy();
    const section = await latest();
    expect((await section.findAllByRole("article")).map((a) => within(a).getByRole("link").textContent)).toEqual([
      "Older v2",
      "Older v3",
      "Older v4",
    ]);
    expect(screen.getAllByRole("link", { name: "Color War breaks out" })).toHaveLength(1);
  });
});

describe("the video in the hero", () => {
  const hero = async () => within(await screen.findByRole("region", { name: "Camp through the day" }));

  it("starts with one tap", async () => {
    server({ "GET /api/videos": three });
    open("/");
    const link = await (await hero()).findByRole("link", { name: "Color War breaks out" });
    expect(link.getAttribute("href")).toBe("/video/v1?play=1");
  });

  it("promises nothing to play to people who may not watch", async () => {
    server({ "GET /api/videos": list(card({ latest: true, restricted: true })) });
    open("/");
    const link = await (await hero()).findByRole("link", { name: "Color War breaks out" });
    expect(link.getAttribute("href")).toBe("/video/v1");
    expect(document.querySelector(".hero-card .bg-amber .ms-1")).toBeNull();
  });
});

describe("the carousel", () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    server({});
  });

  const scene = () => screen.getAllByRole("button", { current: true }).map((dot) => dot.getAttribute("aria-label"));
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

  it("changes its scene every 30 seconds until it is paused", async () => {
    const user = open("/");
    await screen.findByRole("button", { name: "Pause" });
    expect(scene()).toEqual(["Campfire at night"]);
    await wait(30_500);
    expect(scene()).toEqual(["Lake at dawn"]);
    await user.click(screen.getByRole("button", { name: "Pause" }));
    await wait(90_000);
    expect(scene()).toEqual(["Lake at dawn"]);
  });

  it("follows arrows, round both ends, and dots", async () => {
    const user = open("/");
    await user.click(await screen.findByRole("button", { name: "Previous scene" }));
    expect(scene()).toEqual(["Field at noon"]);
    await user.click(screen.getByRole("button", { name: "Next scene" }));
    expect(scene()).toEqual(["Campfire at night"]);
    await user.click(screen.getByRole("button", { name: "Lake at dawn" }));
    expect(scene()).toEqual(["Lake at dawn"]);
  });

  it("stands still under reduced motion", async () => {
    vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: true }));
    open("/");
    await screen.findByRole("button", { name: "Next scene" });
    expect(screen.queryByRole("button", { name: "Pause" })).toBeNull();
    await wait(90_000);
    expect(scene()).toEqual(["Campfire at night"]);
  });
});
