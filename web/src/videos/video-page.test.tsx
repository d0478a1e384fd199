import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { chaya, list, never, open, refuse, server, video } from "../test/portal";

const evening = (answers: Record<string, unknown> = {}) =>
  server({
    "GET /api/session": { user: chaya },
    "GET /api/videos/v1": video(),
    "GET /api/videos/v1/comments": list(),
    "POST /api/videos/v1/views": null,
    ...answers,
  });

const player = () => screen.getByLabelText("Color War breaks out", { selector: "video" });

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
});

describe("a video", () => {
  it("has its details and its own title", async () => {
    evening();
    open("/video/v1");
    expect(screen.queryByText("Loading video...")).toBeDefined();
    expect(await screen.findByRole("heading", { name: "Color War breaks out", level: 1 })).toBeTruthy();
    expect(screen.getByText("Wednesday, July 29, 2026")).toBeTruthy();
    expect(screen.getByText("128 reads")).toBeTruthy();
    expect(screen.getAllByRole("link", { name: "Back to Videos" })[0]?.getAttribute("href")).toBe("/");
    await vi.waitFor(() => expect(document.title).toBe("Color War breaks out - Camp Pine Lake"));
    expect(document.querySelector('meta[property="og:title"]')?.getAttribute("content")).toBe(
      "Color War breaks out - Camp Pine Lake",
    );
  });

  it("says that it is loading", async () => {
    evening({ "GET /api/videos/v1": never });
    open("/video/v1");
    expect(await screen.findByText("Loading video...")).toBeTruthy();
  });

  it("counts one view when playback starts, and none before", async () => {
    const camp = evening();
    const user = open("/video/v1");
    await user.click(await screen.findByRole("button", { name: /^Play/ }));
    fireEvent.play(player());
    fireEvent.pause(player());
    fireEvent.play(player());
    expect(camp.asked("POST", "/api/videos/v1/views")).toHaveLength(1);
    expect(player().hasAttribute("controls")).toBe(true);
  });

  it("starts by itself after the play mark of the home page or of an email, and only once", async () => {
    const play = vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
    evening();
    open("/video/v1?play=1");
    await screen.findByRole("heading", { name: "Color War breaks out" });
    await waitFor(() => expect(play).toHaveBeenCalledTimes(1));
    expect(player().hasAttribute("controls")).toBe(true);
    expect(player()).toHaveProperty("muted", false);
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/video/v1"));
  });

  it("starts muted where the browser allows no sound, and offers the sound", async () => {
    vi.spyOn(HTMLMediaElement.prototype, "play")
      .mockRejectedValueOnce(new DOMException("", "NotAllowedError"))
      .mockResolvedValue();
    evening();
    const user = open("/video/v1?play=1");
    const sound = await screen.findByRole("button", { name: "Turn the sound on" });
    expect(player()).toHaveProperty("muted", true);
    await user.click(sound);
    expect(player()).toHaveProperty("muted", false);
    expect(screen.queryByRole("button", { name: "Turn the sound on" })).toBeNull();
  });

  it("waits for a press where the browser lets nothing start by itself", async () => {
    vi.spyOn(HTMLMediaElement.prototype, "play").mockRejectedValue(new DOMException("", "NotAllowedError"));
    evening();
    open("/video/v1?play=1");
    expect(await screen.findByRole("button", { name: /^Play/ })).toBeTruthy();
    await waitFor(() => expect(player().hasAttribute("controls")).toBe(false));
    expect(player()).toHaveProperty("muted", false);
  });

  it("asks YouTube for nothing until somebody presses play", async () => {
    const camp = evening({
      "GET /api/videos/v1": video({ video_type: "youtube", video_url: "https://www.youtube-nocookie.com/embed/abc" }),
    });
    const user = open("/video/v1");
    const play = await screen.findByRole("button", { name: /^Play/ });
    expect(document.querySelector("iframe")).toBeNull();
    expect(camp.asked("POST", "/api/videos/v1/views")).toHaveLength(0);
    await user.click(play);
    expect(document.querySelector("iframe")?.getAttribute("src")).toContain(
      "https://www.youtube-nocookie.com/embed/abc",
    );
    expect(camp.asked("POST", "/api/videos/v1/views")).toHaveLength(1);
  });

  it.each([
    [
      "youtube",
      "https://www.youtube-nocookie.com/embed/abc",
      "Open it on YouTube",
      "https://www.youtube.com/watch?v=abc",
    ],
    [
      "google_drive",
      "https://drive.google.com/file/d/abc/preview",
      "Open it on Google Drive",
      "https://drive.google.com/file/d/abc/view",
    ],
  ] as const)("shows a way out of a frame of %s that stays dead", async (video_type, video_url, name, page) => {
    evening({ "GET /api/videos/v1": video({ video_type, video_url }) });
    const user = open("/video/v1");
    const play = await screen.findByRole("button", { name: /^Play/ });
    expect(screen.queryByText("Does it not play?")).toBeNull();
    await user.click(play);
    expect(screen.getByText("Does it not play?")).toBeTruthy();
    expect(screen.getByText(name).getAttribute("href")).toBe(page);
    expect(screen.getByText("Tell the camp").getAttribute("href")).toBe(
      "/contact?subject=Video%20does%20not%20play%3A%20Color%20War%20breaks%20out",
    );
  });

  it("offers another try when the file does not play", async () => {
    evening();
    open("/video/v1");
    await screen.findByRole("button", { name: /^Play/ });
    fireEvent.error(player());
    expect(await screen.findByText("This video could not be played")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  it("leads to the videos before and after it", async () => {
    evening({
      "GET /api/videos/v1": video({ previous: { id: "v0", title: "Trip" }, next: { id: "v2", title: "Siyum" } }),
    });
    open("/video/v1");
    expect((await screen.findByRole("link", { name: /Previous video/ })).getAttribute("href")).toBe("/video/v0");
    expect(screen.getByRole("link", { name: /Next video/ }).getAttribute("href")).toBe("/video/v2");
  });
});

describe("a like", () => {
  it("goes on and off, and says so", async () => {
    const camp = evening({
      "PUT /api/videos/v1/like": { liked: true, like_count: 46 },
      "DELETE /api/videos/v1/like": { liked: false, like_count: 45 },
    });
    const user = open("/video/v1");
    const like = await screen.findByRole("button", { name: /45\s*Like/ });
    // A double click is faster than a render.
    act(() => [like, like].forEach((button) => button.click()));
    expect(await screen.findByText("Added to favorites!")).toBeTruthy();
    expect(camp.asked("PUT", "/api/videos/v1/like")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: /46\s*Liked/, pressed: true }));
    expect(await screen.findByText("Removed from favorites")).toBeTruthy();
    expect(screen.getByRole("button", { name: /45\s*Like/, pressed: false })).toBeTruthy();
  });

  it("is undone when it could not be saved", async () => {
    evening({ "PUT /api/videos/v1/like": refuse(503, "busy", "The camp is busy. Please try again.") });
    const user = open("/video/v1");
    await user.click(await screen.findByRole("button", { name: /45\s*Like/ }));
    expect(await screen.findByText("The camp is busy. Please try again.")).toBeTruthy();
    expect(screen.getByRole("button", { name: /45\s*Like/, pressed: false })).toBeTruthy();
  });

  it("counts before the session is known, as on a slow connection", async () => {
    const camp = evening({
      "GET /api/session": never,
      "POST /api/videos/v1/like": { liked: true, like_count: 46 },
      "PUT /api/videos/v1/like": { liked: true, like_count: 46 },
    });
    const user = open("/video/v1");
    await user.click(await screen.findByRole("button", { name: /45\s*Like/ }));
    expect(await screen.findByRole("button", { name: /46\s*Liked/ })).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("address").textContent).toBe("/video/v1"));
    expect(camp.calls.filter(({ path }) => path.endsWith("/like"))).toHaveLength(1);
  });

  it("leads to sign-in and back for somebody signed out", async () => {
    evening({ "GET /api/session": { user: null } });
    const user = open("/video/v1");
    await user.click(await screen.findByRole("button", { name: /45\s*Like/ }));
    expect(screen.getByTestId("address").textContent).toBe("/auth?next=%2Fvideo%2Fv1");
  });
});

describe("sharing", () => {
  it("copies the link and says so", async () => {
    evening();
    const user = open("/video/v1");
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    await user.click(await screen.findByRole("button", { name: "Copy link" }));
    expect(await screen.findByText("Link copied!")).toBeTruthy();
    expect(screen.getByText("Video link copied to clipboard.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copied!" })).toBeTruthy();
    expect(write.mock.calls[0]?.[0]).toContain("/video/v1");
  });

  it("says when copying is not allowed", async () => {
    evening();
    const user = open("/video/v1");
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("denied"));
    await user.click(await screen.findByRole("button", { name: "Copy link" }));
    expect(await screen.findByText("Copy failed")).toBeTruthy();
    expect(screen.getByText("Please copy the link manually.")).toBeTruthy();
  });

  it("goes by mail and WhatsApp with the same words", async () => {
    evening();
    const user = open("/video/v1");
    await user.click(await screen.findByRole("button", { name: "Share" }));
    const words = encodeURIComponent("Check out this camp video: Color War breaks out");
    expect(screen.getByRole("link", { name: "Email" }).getAttribute("href")).toContain(`body=${words}`);
    expect(screen.getByRole("link", { name: "WhatsApp" }).getAttribute("href")).toContain(
      `https://wa.me/?text=${words}`,
    );
  });
});

describe("a video that is not available", () => {
  it("is not found", async () => {
    evening({ "GET /api/videos/v1": refuse(404, "not_found") });
    open("/video/v1");
    expect(await screen.findByRole("heading", { name: "Video not found" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Return to Home" }).getAttribute("href")).toBe("/");
  });

  it("can be tried again when it only failed to load", async () => {
    const camp = evening({ "GET /api/videos/v1": refuse(500, "internal") });
    const user = open("/video/v1");
    const retry = await screen.findByRole("button", { name: "Retry" });
    camp.answer("GET /api/videos/v1", video());
    await user.click(retry);
    expect(await screen.findByRole("heading", { name: "Color War breaks out" })).toBeTruthy();
  });

  it.each([
    [401, "sign_in_required", "Please sign in to watch"],
    [403, "families_only", "For families of the camp"],
    [403, "awaiting_approval", "Waiting for the camp's approval"],
  ])("stands behind a gate (%i %s)", async (status, code, title) => {
    evening({
      "GET /api/session": { user: null },
      "GET /api/videos/v1": refuse(status, code, "The camp's own sentence."),
    });
    open("/video/v1");
    expect(await screen.findByRole("heading", { name: title })).toBeTruthy();
    const words =
      code === "sign_in_required"
        ? "You need an account for this. Sign in, or create one in a minute."
        : "The camp's own sentence.";
    expect(screen.getByText(words)).toBeTruthy();
  });
});
