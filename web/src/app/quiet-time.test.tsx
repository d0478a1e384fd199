import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { list, open, refuse, server, site, update } from "../test/portal";

const hour = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString();
const quiet = (change: Record<string, unknown> = {}) => ({
  starts_at: at(-2),
  ends_at: at(20),
  name: "Shabbos",
  closes: false,
  ...change,
});
const camp = (quiet_time: unknown, answers: Record<string, unknown> = {}) =>
  server({ "GET /api/site": { ...site, quiet_time }, ...answers });

const closedTo = refuse(403, "closed", "The site is closed for now. It opens again after quiet time.");
const notice = /^Shabbos: emails and notifications wait until \w+day, \d+:\d\d\s[AP]M/;

/** Matches a paragraph whose text is split over several elements. */
const said = (pattern: RegExp) => (_: string, element: Element | null) =>
  element?.tagName === "SPAN" && pattern.test(element.textContent ?? "");

afterEach(() => {
  vi.useRealTimers();
});

describe("in quiet time", () => {
  it("every page says until when emails wait", async () => {
    camp(quiet());
    open("/faq");
    expect(await screen.findByText(said(notice))).toBeTruthy();
    expect(await screen.findByRole("heading", { name: "Frequently Asked Questions" })).toBeTruthy();
  });

  it("nothing is said before it begins", async () => {
    camp(quiet({ starts_at: at(1) }));
    open("/faq");
    expect(await screen.findByRole("heading", { name: "Frequently Asked Questions" })).toBeTruthy();
    await act(() => new Promise((done) => setTimeout(done, 50)));
    expect(screen.queryByText(said(notice))).toBeNull();
  });

  it("a closed site says when it opens again, and opens by itself", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const portal = camp(quiet({ closes: true, ends_at: new Date(Date.now() + 20_000).toISOString() }), {
      "GET /api/live-updates": closedTo,
    });
    open("/updates");
    expect(await screen.findByRole("heading", { name: "The site is resting" })).toBeTruthy();
    expect(screen.getByText(/In an emergency, please call/)).toBeTruthy();
    await waitFor(() => expect(screen.getByRole("main", { name: "The site is resting" })).toBeTruthy());
    expect(screen.getAllByRole("main"), "instead of the page").toHaveLength(1);
    expect(document.querySelectorAll("#main")).toHaveLength(1);
    portal.answer("GET /api/site", site);
    portal.answer("GET /api/live-updates", list(update()));
    await act(() => vi.advanceTimersByTimeAsync(45_000));
    await waitFor(() => expect(screen.getByRole("main").textContent).toContain("Package room closes at 5"));
    expect(screen.getByRole("main").id).toBe("main");
    expect(screen.queryByRole("heading", { name: "The site is resting" })).toBeNull();
  });

  it("nothing of a page goes on behind a closed site: no dialog, no video", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    const portal = camp(quiet({ closes: true, starts_at: soon(20), ends_at: soon(120) }));
    open("/updates");
    const page = await screen.findByRole("main");
    page.insertAdjacentHTML("beforeend", "<dialog></dialog><video></video>");
    const dialog = page.querySelector("dialog")!;
    dialog.showModal();
    const pause = vi.spyOn(page.querySelector("video")!, "pause").mockReturnValue();

    portal.answer("GET /api/live-updates", closedTo);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(await screen.findByRole("heading", { name: "The site is resting" })).toBeTruthy();
    expect(dialog).toHaveProperty("open", false);
    expect(pause).toHaveBeenCalled();
    pause.mockClear();
    page.querySelector("video")!.dispatchEvent(new Event("play"));
    expect(pause).toHaveBeenCalledOnce();
    dialog.showModal();
    await waitFor(() => expect(dialog).toHaveProperty("open", false));

    portal.answer("GET /api/site", site);
    portal.answer("GET /api/live-updates", list(update()));
    await act(() => vi.advanceTimersByTimeAsync(90_000));
    await waitFor(() => expect(dialog).toHaveProperty("open", true));
  });

  it("a closed site lets people sign in and write to the camp", async () => {
    camp(quiet({ closes: true }), { "GET /api/live-updates": closedTo });
    open("/contact");
    expect(await screen.findByRole("heading", { name: "Contact Us" })).toBeTruthy();
    expect(await screen.findByText(said(notice))).toBeTruthy();
    expect(screen.queryByRole("heading", { name: "The site is resting" })).toBeNull();
  });

  it("staff see a closed site as it is", async () => {
    camp(quiet({ closes: true }), { "GET /api/live-updates": list(update()) });
    open("/updates");
    expect(await screen.findByText(said(notice))).toBeTruthy();
    expect(await screen.findByText("Package room closes at 5")).toBeTruthy();
    expect(document.querySelector("main")).toHaveProperty("hidden", false);
  });
});
