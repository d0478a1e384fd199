import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { chaya, list, open, refuse, server, video } from "../../test/portal";
import { keepPosition } from "./positions";

const hls_url = "/media/videos/v1/master.m3u8";
const master =
  "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1280x720\n720.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1920x1080\n1080.m3u8\n";
const media = () => screen.getByLabelText<HTMLVideoElement>("Color War breaks out", { selector: "video" });
const player = () => within(screen.getByRole("group", { name: "Video player" }));
const press = (key: string, on: Element = player().getByRole("slider", { name: "Seek" })) =>
  fireEvent.keyDown(on, { key });

let paused = true;

beforeEach(() => {
  localStorage.clear();
  paused = true;
  vi.spyOn(HTMLMediaElement.prototype, "paused", "get").mockImplementation(() => paused);
  vi.spyOn(HTMLMediaElement.prototype, "duration", "get").mockReturnValue(372);
  vi.spyOn(HTMLMediaElement.prototype, "canPlayType").mockImplementation((type) =>
    type.includes("mpegurl") ? "maybe" : "",
  );
  vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(async function (this: HTMLMediaElement) {
    paused = false;
    fireEvent.play(this);
  });
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(function (this: HTMLMediaElement) {
    paused = true;
    fireEvent.pause(this);
  });
});

class FakeTrack extends EventTarget {
  mode = "disabled";
  activeCues: { getCueAsHTML: () => DocumentFragment }[] = [];
  constructor(readonly language: string) {
    super();
  }
  say(text: string) {
    const fragment = document.createDocumentFragment();
    fragment.append(text);
    this.activeCues = [{ getCueAsHTML: () => fragment }];
    act(() => void this.dispatchEvent(new Event("cuechange")));
  }
}

/** Opens a video and presses play. */
async function watch(change: Parameters<typeof video>[0] = {}) {
  const camp = server({
    "GET /api/session": { user: chaya },
    "GET /api/videos/v1": video({ hls_url, ...change }),
    "GET /api/videos/v1/comments": list(),
    "POST /api/videos/v1/views": null,
    [`GET ${hls_url}`]: () => new Response(master),
    "GET /media/videos/v1/thumbnails.vtt": () =>
      new Response("WEBVTT\n\n00:00.000 --> 06:12.000\nsprite.jpg#xywh=160,0,160,90\n"),
  });
  const user = open("/video/v1");
  const poster = await screen.findByRole("button", { name: /^Play Color/ });
  expect(media().getAttribute("src")).toBe(change.hls_url === null ? "/media/videos/v1" : null);
  await user.click(poster);
  await player().findByRole("slider", { name: "Seek" });
  return { camp, user };
}

describe("the player", () => {
  it("loads nothing of a file before somebody presses play, and then shows its own controls", async () => {
    await watch();
    expect(media().getAttribute("src")).toBe(hls_url);
    expect(media().hasAttribute("controls")).toBe(false);
    await waitFor(() => expect(document.activeElement).toBe(player().getByRole("button", { name: "Pause" })));
  });

  it("obeys the keys of YouTube, and says what they did", async () => {
    await watch();
    media().currentTime = 100;
    press("k");
    expect(paused).toBe(true);
    expect(player().getByText("Paused")).toBeTruthy();
    press(" ");
    expect(paused).toBe(false);
    press("l");
    expect(media().currentTime).toBe(110);
    expect(player().getByText("10 seconds forward")).toBeTruthy();
    press("j");
    press("ArrowLeft");
    press("ArrowRight");
    expect(media().currentTime).toBe(100);
    press("5");
    expect(media().currentTime).toBe(186);
    press("0");
    expect(media().currentTime).toBe(0);
    press("m");
    expect(media().muted).toBe(true);
    press("ArrowUp");
    expect(media().muted).toBe(false);
    press("ArrowDown");
    expect(media().volume).toBeCloseTo(0.95);
    press(">");
    expect(media().playbackRate).toBe(1.25);
    press("<");
    expect(media().playbackRate).toBe(1);
    press(".");
    expect(media().currentTime).toBe(0);
    press("k");
    press(".");
    expect(media().currentTime).toBeCloseTo(1 / 30);
    press(",");
    expect(media().currentTime).toBe(0);
  });

  it("leads to the next video by Shift and N", async () => {
    const { camp } = await watch({ next: { id: "v2", title: "Siyum" } });
    camp.answer("GET /api/videos/v2", video({ id: "v2", title: "Siyum" }));
    camp.answer("GET /api/videos/v2/comments", list());
    camp.answer("POST /api/videos/v2/views", null);
    press("n");
    expect(screen.getByTestId("address").textContent).toBe("/video/v1");
    fireEvent.keyDown(player().getByRole("slider", { name: "Seek" }), { key: "N", shiftKey: true });
    expect(await screen.findByRole("heading", { level: 1, name: "Siyum" })).toBeTruthy();
  });

  it("shows and hides its controls by a tap, and skips by two at a side", async () => {
    await watch();
    const stage = screen.getByRole("group", { name: "Video player" });
    vi.spyOn(stage, "getBoundingClientRect").mockReturnValue({ left: 0, width: 300 } as DOMRect);
    const tap = (clientX: number) =>
      fireEvent.pointerUp(stage.querySelector(".vp-surface")!, { pointerType: "touch", button: 0, clientX });
    const hidden = () => stage.querySelector(".vp")!.hasAttribute("data-idle");
    media().currentTime = 100;
    tap(150);
    await waitFor(() => expect(hidden()).toBe(true));
    expect(paused).toBe(false);
    tap(280);
    expect(hidden()).toBe(false);
    tap(280);
    tap(280);
    expect(media().currentTime).toBe(120);
    expect(hidden()).toBe(false);
    expect(paused).toBe(false);
  });

  it("closes its menu by a press beside it, which does nothing else", async () => {
    const { user } = await watch();
    await user.click(player().getByRole("button", { name: "Settings" }));
    fireEvent.pointerUp(document.querySelector(".vp-surface")!, { pointerType: "mouse", button: 0 });
    expect(player().getByRole("button", { name: "Settings", expanded: false })).toBeTruthy();
    expect(paused).toBe(false);
    fireEvent.pointerUp(document.querySelector(".vp-surface")!, { pointerType: "mouse", button: 0 });
    expect(paused).toBe(true);
  });

  it("leaves keys alone outside of it, with a modifier and on its buttons", async () => {
    await watch();
    media().currentTime = 100;
    press("l", document.body);
    fireEvent.keyDown(player().getByRole("slider", { name: "Seek" }), { key: "l", ctrlKey: true });
    expect(media().currentTime).toBe(100);
    press(" ", player().getByRole("button", { name: "Settings" }));
    expect(paused).toBe(false);
  });

  it("tells a screen reader the time, and takes a place on the timeline", async () => {
    await watch();
    media().currentTime = 80;
    fireEvent.timeUpdate(media());
    const line = player().getByRole("slider", { name: "Seek" });
    expect(line.getAttribute("aria-valuetext")).toBe("1:20 of 6:12");
    // A screen reader that read every change aloud would never be silent.
    media().currentTime = 81.2;
    fireEvent.timeUpdate(media());
    expect(line.getAttribute("aria-valuetext")).toBe("1:20 of 6:12");
    fireEvent.focus(line);
    expect(line.getAttribute("aria-valuetext")).toBe("1:21 of 6:12");
    fireEvent.change(line, { target: { value: "200" } });
    expect(media().currentTime).toBe(200);
  });

  it("shows a picture of the place that is pointed at", async () => {
    await watch({ previews_url: "/media/videos/v1/thumbnails.vtt" });
    const line = player().getByRole("slider", { name: "Seek" }).parentElement!;
    vi.spyOn(line, "getBoundingClientRect").mockReturnValue({ left: 0, width: 372 } as DOMRect);
    fireEvent.pointerMove(line, { clientX: 61 });
    expect(player().getByText("1:01")).toBeTruthy();
    await waitFor(() =>
      expect(document.querySelector<HTMLElement>(".vp-picture")?.style.backgroundImage).toContain(
        "/media/videos/v1/sprite.jpg",
      ),
    );
    expect(document.querySelector<HTMLElement>(".vp-picture")?.style.backgroundPosition).toBe("-160px 0px");
  });

  it("offers the speed and the sizes of the picture, and keeps the place", async () => {
    const { user } = await watch();
    await user.click(player().getByRole("button", { name: "Settings", expanded: false }));
    await user.selectOptions(player().getByLabelText("Speed"), "1.5×");
    expect(media().playbackRate).toBe(1.5);
    const quality = await player().findByLabelText("Quality");
    expect([...quality.querySelectorAll("option")].map(({ textContent }) => textContent)).toEqual([
      "Auto",
      "1080p",
      "720p",
    ]);
    media().currentTime = 60;
    await user.selectOptions(quality, "720p");
    expect(media().src).toBe("http://camp.test/media/videos/v1/720.m3u8");
    media().currentTime = 0;
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(60);
    expect(media().playbackRate).toBe(1.5);
    await user.selectOptions(quality, "Auto");
    expect(media().src).toBe(`http://camp.test${hls_url}`);
    await user.keyboard("{Escape}");
    expect(player().getByRole("button", { name: "Settings", expanded: false })).toBe(document.activeElement);
  });

  it("gets its file once it is on the page, because React misses the events of an element before that", async () => {
    const early: Element[] = [];
    const setAttribute = vi.spyOn(HTMLMediaElement.prototype, "setAttribute");
    setAttribute.mockImplementation(function (this: HTMLMediaElement, name, value) {
      if (name === "src" && !this.isConnected) early.push(this);
      Element.prototype.setAttribute.call(this, name, value);
    });
    await watch({ hls_url: null });
    expect(media().getAttribute("src")).toBe("/media/videos/v1");
    expect(early).toEqual([]);
  });

  it("goes on in the plain file when HLS does not play, and says so only when that fails too", async () => {
    await watch();
    fireEvent.error(media());
    expect(media().getAttribute("src")).toBe("/media/videos/v1");
    expect(screen.queryByText("This video could not be played")).toBeNull();
    media().currentTime = 100;
    fireEvent.error(media());
    expect(screen.getByText("This video could not be played")).toBeTruthy();
    media().currentTime = 0;
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(media().getAttribute("src")).toBe(hls_url);
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(100);
  });

  it("asks to sign in when the session ended while the video played", async () => {
    const { camp } = await watch();
    camp.answer("GET /api/videos/v1", refuse(401, "sign_in_required", "Please sign in."));
    fireEvent.error(media());
    fireEvent.error(media());
    expect(await screen.findByRole("heading", { name: "Please sign in to watch" })).toBeTruthy();
  });

  it("resumes where it was stopped, and can start over", async () => {
    keepPosition("v1", 192, 372);
    const { user } = await watch();
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(192);
    await user.click(await player().findByRole("button", { name: "Resumed at 3:12 · Start over" }));
    expect(media().currentTime).toBe(0);
    media().currentTime = 250;
    fireEvent.pause(media());
    expect(JSON.parse(localStorage.getItem("positions")!)).toEqual({ v1: 250 });
  });

  it("shows captions by the menu, its button and the key c, and remembers the language", async () => {
    const yiddish = new FakeTrack("yi");
    vi.spyOn(HTMLMediaElement.prototype, "textTracks", "get").mockReturnValue([
      new FakeTrack("en"),
      yiddish,
    ] as unknown as TextTrackList);
    const captions = (["en", "yi"] as const).map((language) => ({
      language,
      url: `/media/videos/v1/captions/${language}.vtt`,
    }));
    const { user } = await watch({ captions });
    expect([...media().querySelectorAll("track")].map(({ srclang }) => srclang)).toEqual(["en", "yi"]);
    await user.click(player().getByRole("button", { name: "Settings" }));
    await user.selectOptions(player().getByLabelText("Captions", { selector: "select" }), "ייִדיש");
    expect(yiddish.mode).toBe("hidden");
    yiddish.say("אַ גוטן טאָג");
    const text = player().getByText("אַ גוטן טאָג");
    expect(text.closest("[lang]")?.getAttribute("lang")).toBe("yi");
    expect(text.closest("p")?.dir).toBe("auto");
    // An iPhone's full screen shows only the video, so the phone draws the captions itself.
    fireEvent(media(), new Event("webkitbeginfullscreen"));
    expect(yiddish.mode).toBe("showing");
    fireEvent(media(), new Event("webkitendfullscreen"));
    expect(yiddish.mode).toBe("hidden");
    press("c");
    expect(player().getByText("Captions off")).toBeTruthy();
    expect(player().queryByText("אַ גוטן טאָג")).toBeNull();
    expect(yiddish.mode).toBe("disabled");
    await user.click(player().getByRole("button", { name: "Captions", pressed: false }));
    expect(player().getByText("Captions: ייִדיש")).toBeTruthy();
    expect(localStorage.getItem("captions")).toBe("yi");
  });

  it("has no button for captions without any", async () => {
    await watch();
    expect(player().queryByRole("button", { name: "Captions" })).toBeNull();
    press("c");
    expect(player().queryByText(/Captions/)).toBeNull();
  });

  it("names the chapter of a place, and plays one from its link", async () => {
    keepPosition("v1", 192, 372);
    const { user } = await watch({
      chapters: [
        { start_seconds: 0, title: "Lineup" },
        { start_seconds: 42, title: "Bunk 7" },
      ],
    });
    expect(document.querySelectorAll(".vp-mark")).toHaveLength(1);
    const chapters = within(screen.getByRole("navigation", { name: "Chapters" }));
    await user.click(chapters.getByRole("link", { name: "0:42 Bunk 7" }));
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(42);
    expect(paused).toBe(false);
    expect(screen.getByTestId("address").textContent).toBe("/video/v1");
    fireEvent.timeUpdate(media());
    const line = player().getByRole("slider", { name: "Seek" });
    expect(line.getAttribute("aria-valuetext")).toBe("0:42 of 6:12, Bunk 7");
  });

  it("offers the file only where staff allow it", async () => {
    await watch({ download_url: "/media/videos/v1/download" });
    const link = screen.getByRole("link", { name: "Download" });
    expect(link.getAttribute("href")).toBe("/media/videos/v1/download");
    expect(link.hasAttribute("download")).toBe(true);
  });

  it("resumes where the person stopped on another device, and updates the account", async () => {
    keepPosition("v1", 60, 372);
    const { camp } = await watch({ resume_seconds: 192 });
    camp.answer("PUT /api/videos/v1/position", null);
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(192);
    media().currentTime = 250;
    act(() => media().pause());
    const told = () => camp.asked("PUT", "/api/videos/v1/position").map(({ body }) => body);
    await waitFor(() => expect(told()).toEqual([{ seconds: 250 }]));
    act(() => void media().play());
    media().currentTime = 365;
    act(() => media().pause());
    await waitFor(() => expect(told().at(-1)).toEqual({ seconds: 0 }));
  });

  it("offers the next video at the end", async () => {
    const { user } = await watch({ next: { id: "v2", title: "Siyum" } });
    vi.spyOn(HTMLMediaElement.prototype, "ended", "get").mockReturnValue(true);
    fireEvent.ended(media());
    expect(player().getByText("Siyum")).toBeTruthy();
    expect(player().getByRole("link", { name: "Play next" }).getAttribute("href")).toBe("/video/v2?play=1");
    paused = true;
    await user.click(player().getByRole("button", { name: "Watch again" }));
    expect(paused).toBe(false);
  });

  it("never plays at the same time as another video", async () => {
    await watch();
    const other = document.createElement("video");
    const pause = vi.spyOn(other, "pause");
    document.body.append(other);
    act(() => void media().play());
    expect(pause).toHaveBeenCalled();
    other.remove();
  });

  it("has the same controls for a file without sizes", async () => {
    const { user } = await watch({ hls_url: null });
    expect(media().getAttribute("src")).toBe("/media/videos/v1");
    await user.click(player().getByRole("button", { name: "Settings" }));
    expect(player().getByLabelText("Speed")).toBeTruthy();
    expect(player().queryByLabelText("Quality")).toBeNull();
  });
});
