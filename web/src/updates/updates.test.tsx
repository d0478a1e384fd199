import { act, screen, within } from "@testing-library/react";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { list, open, refuse, server, site, update } from "../test/portal";

const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const ten = list(
  ...Array.from({ length: 10 }, (_, i) =>
    update({ id: `n${i}`, title: `Update ${i}`, created_at: before(i * 60 + 1) }),
  ),
);
const section = async () => within(await screen.findByRole("region", { name: "Live updates" }));
const titles = async () =>
  (await section()).getAllByRole("heading", { level: 3 }).map((heading) => heading.textContent);

describe("live updates at home", () => {
  it("are the newest two of ten, and all of them on request", async () => {
    const camp = server({ "GET /api/live-updates": ten });
    const user = open("/");
    const more = await (await section()).findByRole("button", { name: "Show All Updates (8 more)" });
    expect(await titles()).toEqual(["Update 0", "Update 1"]);
    expect(camp.asked("GET", "/api/live-updates")[0]?.query).toEqual({ limit: "10" });
    await user.click(more);
    expect(await titles()).toHaveLength(10);
    await user.click((await section()).getByRole("button", { name: "Show Less" }));
    expect(await titles()).toEqual(["Update 0", "Update 1"]);
    expect((await section()).getByRole("link", { name: "All updates" }).getAttribute("href")).toBe("/updates");
  });

  it("need no button when there are two", async () => {
    server({ "GET /api/live-updates": list(update(), update({ id: "n2" })) });
    open("/");
    await (await section()).findAllByRole("heading", { level: 3 });
    expect((await section()).queryByRole("button")).toBeNull();
  });

  it("say their age, what is new and what is urgent", async () => {
    server({
      "GET /api/live-updates": list(
        update({ id: "a", created_at: before(0), priority: "high" }),
        update({ id: "b", created_at: before(1) }),
        update({ id: "c", created_at: before(119) }),
        update({ id: "d", created_at: before(121) }),
        update({ id: "e", created_at: before(23 * 60 + 59) }),
        update({ id: "f", created_at: before(24 * 60) }),
        update({ id: "g", created_at: before(72 * 60) }),
      ),
    });
    const user = open("/");
    await user.click(await screen.findByRole("button", { name: "Show All Updates (5 more)" }));
    const items = (await section()).getAllByRole("listitem").map((item) => ({
      age: item.querySelector("time")?.textContent,
      fresh: within(item).queryByText("New") !== null,
      high: within(item).queryByText("High Priority") !== null,
    }));
    expect(items).toEqual([
      { age: "Just now", fresh: true, high: true },
      { age: "1 minute ago", fresh: true, high: false },
      { age: "1 hour ago", fresh: true, high: false },
      { age: "2 hours ago", fresh: false, high: false },
      { age: "23 hours ago", fresh: false, high: false },
      { age: "1 day ago", fresh: false, high: false },
      { age: "3 days ago", fresh: false, high: false },
    ]);
    expect((await section()).getAllByText("Mail room")).toHaveLength(7);
  });

  it("keep their order while a day passes: new High Priority ones, pinned ones, the newest", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: new Date("2026-07-29T12:00:00Z") });
    const at = (time: string) => `2026-07-${time}:00Z`;
    server({
      "GET /api/live-updates": list(
        update({ id: "c", title: "Bread", created_at: at("29T11:00") }),
        update({ id: "b", title: "Pinned", created_at: at("25T10:00"), pinned_until: at("30T10:00") }),
        update({ id: "a", title: "Alarm", created_at: at("28T12:01"), priority: "high" }),
      ),
    });
    open("/updates");
    const listed = () =>
      within(screen.getByRole("main"))
        .getAllByRole("heading", { level: 2 })
        .map((heading) => heading.textContent);
    await screen.findByText("Alarm");
    expect(listed()).toEqual(["Alarm", "Pinned", "Bread"]);
    await act(() => vi.advanceTimersByTimeAsync(80_000));
    expect(listed()).toEqual(["Pinned", "Bread", "Alarm"]);
    vi.setSystemTime("2026-07-30T10:00:00Z");
    await act(() => vi.advanceTimersByTimeAsync(20_000));
    expect(listed()).toEqual(["Bread", "Alarm", "Pinned"]);
  });

  it("have the addresses that staff typed as links", async () => {
    server({ "GET /api/live-updates": list(update({ message: "Sign up: https://camp.example/trip. javascript:no" })) });
    open("/updates");
    const link = await screen.findByRole("link", { name: "https://camp.example/trip" });
    expect(link.getAttribute("href")).toBe("https://camp.example/trip");
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link.closest("p")?.textContent).toBe("Sign up: https://camp.example/trip. javascript:no");
  });

  it("say when there are none, and when they could not be loaded", async () => {
    const camp = server({ "GET /api/live-updates": refuse(500, "internal", "Something went wrong.") });
    const user = open("/");
    expect(await (await section()).findByText("The updates could not be loaded")).toBeTruthy();
    expect((await section()).queryByText("No updates right now")).toBeNull();
    camp.answer("GET /api/live-updates", list());
    await user.click((await section()).getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No updates right now")).toBeTruthy();
  });

  it("are for families only if the camp wants that", async () => {
    server({
      "GET /api/live-updates": refuse(401, "sign_in_required", "Please sign in."),
      "GET /api/site": { ...site, access: "families" },
    });
    open("/");
    expect(await (await section()).findByText(/The camp confirms each family once/)).toBeTruthy();
    expect((await section()).getByRole("link", { name: "Create Account" }).getAttribute("href")).toBe(
      "/auth?mode=create&next=%2F",
    );
    expect((await section()).getByRole("link", { name: "Sign In" }).getAttribute("href")).toBe("/auth");
  });
});

it("offer no account while sign-up is closed", async () => {
  server({
    "GET /api/live-updates": refuse(401, "sign_in_required", "Please sign in."),
    "GET /api/site": { ...site, access: "signed_in", registrations_open: false },
  });
  open("/");
  expect(await screen.findByText(/new accounts cannot be created right now/)).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Create Account" })).toBeNull();
});

describe("the page of all updates", () => {
  it("loads in parts", async () => {
    server({
      "GET /api/live-updates": ({ query }: { query: { cursor?: string } }) =>
        query.cursor
          ? list(update({ id: "old", title: "The first of the summer" }))
          : { items: [update()], next: "more" },
    });
    const user = open("/updates");
    expect(await screen.findByRole("heading", { name: "Live Updates", level: 1 })).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Load more updates" }));
    expect((await screen.findByRole("link", { name: "The first of the summer" })).getAttribute("href")).toBe(
      "/updates/old",
    );
    expect(document.title).toBe("Live Updates - Camp Pine Lake");
  });
});

it("says so when the next page of the updates cannot be loaded, and loads it when asked again", async () => {
  let broken = true;
  server({
    "GET /api/live-updates": ({ query }: { query: { cursor?: string } }) =>
      query.cursor
        ? broken
          ? refuse(500, "internal", "Something went wrong. Please try again.")
          : list(update({ id: "old", title: "The first of the summer" }))
        : { items: [update()], next: "more" },
  });
  const user = open("/updates");
  await user.click(await screen.findByRole("button", { name: "Load more updates" }));
  expect((await screen.findByRole("alert")).textContent).toBe("Something went wrong. Please try again.");
  expect(screen.getByText("Package room closes at 5")).toBeTruthy();
  broken = false;
  await user.click(screen.getByRole("button", { name: "Retry" }));
  expect(await screen.findByText("The first of the summer")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});

describe("one update", () => {
  it("has its own address", async () => {
    server({ "GET /api/live-updates/n1": { ...update({ priority: "high" }), withdrawn: false } });
    open("/updates/n1");
    expect(await screen.findByRole("heading", { name: "Package room closes at 5", level: 1 })).toBeTruthy();
    expect(screen.getByText("High Priority")).toBeTruthy();
    expect(screen.getByText("Anything later is handed out on Friday.")).toBeTruthy();
  });

  it("says that it was withdrawn, and shows nothing of it", async () => {
    server({ "GET /api/live-updates/n1": { ...update({ title: "", message: "", author: "" }), withdrawn: true } });
    open("/updates/n1");
    expect(await screen.findByRole("heading", { name: "This update was removed" })).toBeTruthy();
    expect(screen.queryByText("Posted by", { exact: false })).toBeNull();
  });

  it("says when there never was one", async () => {
    server({});
    open("/updates/nothing");
    expect(await screen.findByRole("heading", { name: "Update not found" })).toBeTruthy();
  });
});
