import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { chaya, list, open, server, video } from "../../test/portal";

const hls_url = "/media/videos/v1/master.m3u8";
const media = () => screen.getByLabelText<HTMLVideoElement>("Color War breaks out", { selector: "video" });

/** Replaces hls.js, which cannot run in happy-dom because happy-dom has no media support. */
const fake = vi.hoisted(() => {
  class FakeHls {
    static made: FakeHls[] = [];
    static isSupported = () => true;
    static Events = {
      ERROR: "error",
      MANIFEST_PARSED: "parsed",
      DESTROYING: "destroying",
      FRAG_BUFFERED: "buffered",
      BUFFER_EOS: "eos",
    };
    static ErrorDetails = { BUFFER_APPEND_NO_PROGRESS: "bufferAppendNoProgress" };
    static ErrorTypes = { MEDIA_ERROR: "mediaError" };
    static DefaultConfig = { fragLoadPolicy: { default: {} }, playlistLoadPolicy: { default: {} } };
    levels = [{ width: 1280, height: 720 }];
    config = {};
    destroyed = false;
    listeners: [string, (event: string, data: object) => void][] = [];
    constructor() {
      FakeHls.made.push(this);
    }
    on(event: string, listener: () => void) {
      this.listeners.push([event, listener]);
    }
    once = this.on;
    loadSource() {}
    media: HTMLVideoElement | null = null;
    attachMedia(element: HTMLVideoElement) {
      this.media = element;
    }
    said: string[] = [];
    trigger(event: string) {
      this.said.push(event);
    }
    tell(event: string, data = {}) {
      this.listeners.filter(([name]) => name === event).forEach(([, listener]) => listener(event, data));
    }
    destroy() {
      this.destroyed = true;
      // Resets the time, as a browser does when it loads the element again.
      if (this.media) this.media.currentTime = 0;
      this.media = null;
      this.tell(FakeHls.Events.DESTROYING);
    }
  }
  return { FakeHls, loaded: vi.fn<() => void>() };
});
vi.mock("hls.js/light", () => {
  fake.loaded();
  return { default: fake.FakeHls };
});

let started: HTMLMediaElement[] = [];

beforeEach(() => {
  localStorage.clear();
  fake.FakeHls.made = [];
  started = [];
  vi.stubGlobal("MediaSource", () => undefined);
  vi.spyOn(HTMLMediaElement.prototype, "canPlayType").mockReturnValue("");
  vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(async function (this: HTMLMediaElement) {
    started.push(this);
  });
});

/** Opens a video, presses play, and waits until hls.js was called. */
async function watch() {
  server({
    "GET /api/session": { user: chaya },
    "GET /api/videos/v1": video({ hls_url }),
    "GET /api/videos/v1/comments": list(),
    "POST /api/videos/v1/views": null,
  });
  const user = open("/video/v1");
  await user.click(await screen.findByRole("button", { name: /^Play Color/ }));
  await waitFor(() => expect(fake.FakeHls.made).toHaveLength(1));
  return { user, hls: fake.FakeHls.made[0]! };
}

describe("a browser that needs hls.js", () => {
  // This test comes first, because a module loads only once.
  it("has loaded it before somebody presses play", async () => {
    vi.stubGlobal("requestIdleCallback", (run: () => void) => setTimeout(run, 0));
    server({ "GET /api/videos/v1": video({ hls_url }), "GET /api/videos/v1/comments": list() });
    open("/video/v1");
    await screen.findByRole("button", { name: /^Play Color/ });
    await waitFor(() => expect(fake.loaded).toHaveBeenCalled());
    expect(fake.FakeHls.made).toHaveLength(0);
  });

  it("plays once the sizes are known", async () => {
    const { hls } = await watch();
    expect(started).toHaveLength(0);
    hls.tell("parsed");
    await waitFor(() => expect(started).toHaveLength(1));
    expect(hls.destroyed).toBe(false);
  });

  it("continues at the same place when HLS gives up in the middle, also after another failure", async () => {
    const { hls, user } = await watch();
    hls.tell("parsed");
    await waitFor(() => expect(started).toHaveLength(1));
    media().currentTime = 600;
    hls.tell("error", { fatal: true, type: "networkError" });
    await waitFor(() => expect(media().getAttribute("src")).toBe("/media/videos/v1"));
    expect(media().currentTime).toBe(0);
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(600);
    fireEvent.error(media());
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    media().currentTime = 0;
    fireEvent.loadedMetadata(media());
    expect(media().currentTime).toBe(600);
  });

  it("plays to the end where the sound is shorter than the picture", async () => {
    const { hls } = await watch();
    hls.tell("parsed");
    await waitFor(() => expect(started).toHaveLength(1));
    Object.defineProperty(media(), "buffered", { value: { length: 1, end: () => 19.7 } });
    hls.tell("buffered", { frag: { endList: undefined, end: 16 } });
    hls.tell("buffered", { frag: { endList: true, end: 19.72 } });
    expect(hls.said).toEqual([]);
    hls.tell("buffered", { frag: { endList: true, end: 20 } });
    expect(hls.said).toEqual(["eos"]);
    // The sound ends a few segments earlier.
    hls.tell("error", { fatal: false, type: "mediaError", details: "bufferStalledError" });
    expect(hls.destroyed).toBe(false);
    const stuck = { fatal: false, type: "mediaError", details: "bufferAppendNoProgress" };
    hls.tell("error", { ...stuck, frag: { endList: true } });
    expect(hls.destroyed).toBe(false);
    hls.tell("error", { ...stuck, frag: {} });
    await waitFor(() => expect(media().getAttribute("src")).toBe("/media/videos/v1"));
  });

  it("goes on in the plain file when the sizes cannot be loaded, and says so when that one fails too", async () => {
    const { hls } = await watch();
    hls.tell("error", { fatal: true, type: "networkError" });
    await waitFor(() => expect(media().getAttribute("src")).toBe("/media/videos/v1"));
    expect(hls.destroyed).toBe(true);
    fireEvent.error(media());
    expect(await screen.findByText("This video could not be played")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
  });

  it("neither loads nor plays after the person leaves the page", async () => {
    const { user, hls } = await watch();
    await user.click(screen.getByRole("link", { name: "Back to Videos" }));
    await waitFor(() => expect(screen.queryByLabelText("Color War breaks out", { selector: "video" })).toBeNull());
    hls.tell("parsed");
    await waitFor(() => expect(hls.destroyed).toBe(true));
    expect(started).toHaveLength(0);
  });
});
