import { act, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { card, list, open, refuse, server, unreachable } from "../test/portal";

describe("this year's videos", () => {
  it("have the banner, and say when the next one comes", async () => {
    server({ "GET /api/videos": list(card()) });
    open("/current-videos");
    expect(await screen.findByRole("heading", { name: "This Year Videos", level: 1 })).toBeTruthy();
    expect(screen.getByText("New Videos Daily!")).toBeTruthy();
    expect(await screen.findByText("Next update: Midnight")).toBeTruthy();
  });

  it("lead to the Gallery while the year has none", async () => {
    server({});
    open("/current-videos");
    expect(await screen.findByText("No videos uploaded for this year yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to the Gallery" }).getAttribute("href")).toBe("/past-videos");
  });

  it("can be searched from the keyboard and cleared again", async () => {
    const camp = server({
      "GET /api/videos": ({ query }: { query: { q?: string } }) => (query.q ? list() : list(card())),
    });
    const user = open("/current-videos");
    await screen.findByRole("article");
    await user.keyboard("/");
    await user.keyboard("zebra");
    expect(await screen.findByText(/No content found matching/)).toHaveProperty(
      "textContent",
      'No content found matching "zebra"',
    );
    expect(screen.getByTestId("address").textContent).toBe("/current-videos?q=zebra");
    expect(camp.calls.at(-1)?.query).toMatchObject({ collection: "current", q: "zebra", sort: "newest" });
    await user.click(screen.getByRole("button", { name: "Clear Search" }));
    expect(await screen.findByRole("article")).toBeTruthy();
    expect(screen.getByRole("searchbox")).toHaveProperty("value", "");
  });

  it("mark what the person has not seen", async () => {
    server({ "GET /api/videos": list(card({ is_new: true }), card({ id: "v2", title: "Lake" })) });
    open("/current-videos");
    const [first, second] = await screen.findAllByRole("article");
    expect(within(first!).getByText("New to you")).toBeTruthy();
    expect(within(second!).queryByText("New to you")).toBeNull();
  });

  it("report a failure for the list that failed, not for another order", async () => {
    server({
      "GET /api/videos": ({ query }: { query: { cursor?: string } }) =>
        query.cursor ? refuse(422, "invalid") : { items: [card()], next: "more" },
    });
    const user = open("/current-videos?sort=popular");
    await screen.findByRole("article");
    await user.click(screen.getByRole("button", { name: "Newest First" }));
    await user.click(await screen.findByRole("button", { name: "Load more videos" }));
    expect(await screen.findByRole("alert")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Most Popular" }));
    expect(await screen.findByRole("button", { name: "Load more videos" })).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("sort by popularity when asked", async () => {
    const camp = server({ "GET /api/videos": list(card()) });
    const user = open("/current-videos");
    await user.click(await screen.findByRole("button", { name: "Most Popular" }));
    await vi.waitFor(() => expect(camp.calls.at(-1)?.query).toMatchObject({ sort: "popular" }));
    expect(screen.getByRole("button", { name: "Most Popular" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("show a scheduled video by itself within half a minute", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const camp = server({ "GET /api/videos": list() });
    open("/current-videos");
    await screen.findByText("No videos uploaded for this year yet");
    camp.answer("GET /api/videos", list(card({ title: "Grand Siyum" })));
    await act(() => vi.advanceTimersByTimeAsync(31_000));
    expect(await screen.findByRole("link", { name: "Grand Siyum" })).toBeTruthy();
  });

  it("say what is wrong when the network is down", async () => {
    server({ "GET /api/videos": unreachable });
    open("/current-videos");
    expect(await screen.findByText(/cannot be reached right now/)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  it("tell a stranger to sign in, and show no count, where only families may watch", async () => {
    server({ "GET /api/videos": list(card({ restricted: true, description: null, view_count: 0 })) });
    open("/current-videos");
    expect(await screen.findByText("Sign in to watch")).toBeTruthy();
    expect(screen.queryByText(/reads/)).toBeNull();
  });
});

describe("the gallery", () => {
  const years = list({ year: 2025, count: 2 }, { year: 2024, count: 1 });
  const archive = ({ query }: { query: { year?: string; q?: string } }) => {
    const all = [
      card({ id: "a", title: "Siyum", year: 2025, archive: true }),
      card({ id: "b", title: "Hike", year: 2025, archive: true }),
      card({ id: "c", title: "Bonfire", year: 2024, archive: true }),
    ];
    return list(
      ...all.filter(
        (v) => (!query.year || String(v.year) === query.year) && (!query.q || v.title.toLowerCase().includes(query.q)),
      ),
    );
  };

  it("opens the newest summer, and fetches another when it is opened, leaving both open", async () => {
    const camp = server({ "GET /api/videos": archive, "GET /api/videos/years": years });
    const user = open("/past-videos");
    expect(await screen.findByRole("link", { name: "Siyum" })).toBeTruthy();
    expect(camp.asked("GET", "/api/videos").map(({ query }) => query.year)).toEqual(["2025"]);

    await user.click(screen.getByRole("heading", { name: "Summer 2024" }));
    expect(await screen.findByRole("link", { name: "Bonfire" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Siyum" })).toBeTruthy();
    expect(screen.getByText("1 video")).toBeTruthy();
    expect(screen.getAllByText("Archive").length).toBe(3);
  });

  it("shows all videos with their number", async () => {
    server({ "GET /api/videos": archive, "GET /api/videos/years": years });
    const user = open("/past-videos");
    await user.click(await screen.findByRole("button", { name: "All Videos" }));
    expect(await screen.findByRole("heading", { name: "All Gallery Videos (3)" })).toBeTruthy();
    expect(await screen.findAllByRole("article")).toHaveLength(3);
  });

  it("counts what a search finds, and says when it finds nothing", async () => {
    server({ "GET /api/videos": archive, "GET /api/videos/years": years });
    const user = open("/past-videos");
    await user.type(await screen.findByRole("searchbox"), "hike");
    expect(await screen.findByRole("heading", { name: "Search Results (1)" })).toBeTruthy();
    await user.type(screen.getByRole("searchbox"), "x");
    expect(await screen.findByText(/No videos found matching/)).toHaveProperty(
      "textContent",
      'No videos found matching "hikex"',
    );
  });

  it("says when there is nothing yet, and when it could not be loaded", async () => {
    const camp = server({ "GET /api/videos/years": refuse(500, "internal") });
    const user = open("/past-videos");
    const retry = await screen.findByRole("button", { name: "Retry" });
    camp.answer("GET /api/videos/years", list());
    await user.click(retry);
    expect(await screen.findByText("No archived videos available yet")).toBeTruthy();
  });

  it("keeps the two scripts of a title apart", async () => {
    server({ "GET /api/videos": list(card({ title: "Color War · קאלער וואר" })) });
    open("/current-videos");
    const link = await screen.findByRole("link", { name: /Color War/ });
    expect(within(link).getByText("קאלער וואר").getAttribute("lang")).toBe("yi");
    expect(within(link).getByText("Color War").textContent).toBe("Color War");
  });
});
