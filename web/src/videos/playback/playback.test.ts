import { beforeEach, describe, expect, it, vi } from "vitest";
import { deleteUnsent } from "../../lib/delete-unsent";
import { rungsOf } from "./master";
import { keepPosition, positionOf } from "./positions";
import { previewsOf } from "./previews";
import { methodFor } from "./source";

const master = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=3000000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2"
720.m3u8

#EXT-X-STREAM-INF:BANDWIDTH=6000000,RESOLUTION=1920x1080,CODECS="avc1.640028,mp4a.40.2"
1080.m3u8
`;

it("reads the sizes of a master playlist, best first, by their shorter side", () => {
  const base = "http://camp.test/media/videos/v1/master.m3u8?v=2";
  expect(rungsOf(master, base)).toEqual([
    { lines: 1080, url: "http://camp.test/media/videos/v1/1080.m3u8" },
    { lines: 720, url: "http://camp.test/media/videos/v1/720.m3u8" },
  ]);
  expect(rungsOf(master.replace("1920x1080", "1080x1920"), base)[0]?.lines).toBe(1080);
  expect(rungsOf("<!doctype html>", base)).toEqual([]);
});

it("reads the pictures of the timeline", () => {
  const vtt = `WEBVTT\r\n\r\n00:00:00.000 --> 00:00:05.000\r\nsprite.jpg#xywh=0,0,160,90\r\n\r\n1:02:05.500 --> 1:02:10.000\r\nsprite.jpg#xywh=160,90,160,90\r\n`;
  expect(previewsOf(vtt, "http://camp.test/media/videos/v1/thumbnails.vtt")).toEqual([
    { start: 0, end: 5, url: "http://camp.test/media/videos/v1/sprite.jpg", x: 0, y: 0, width: 160, height: 90 },
    {
      start: 3725.5,
      end: 3730,
      url: "http://camp.test/media/videos/v1/sprite.jpg",
      x: 160,
      y: 90,
      width: 160,
      height: 90,
    },
  ]);
});

describe("where a video was stopped", () => {
  beforeEach(() => localStorage.clear());

  it("is kept, except in its beginning and in its last seconds", () => {
    keepPosition("v1", 5, 372);
    expect(positionOf("v1")).toBeNull();
    keepPosition("v1", 100.7, 372);
    expect(positionOf("v1")).toBe(100);
    keepPosition("v1", 370, 372);
    expect(positionOf("v1")).toBeNull();
  });

  it("is kept for the last hundred videos", () => {
    for (let n = 0; n <= 100; n++) keepPosition(`v${n}`, 60, 372);
    expect(positionOf("v0")).toBeNull();
    expect(positionOf("v100")).toBe(60);
  });

  it("is forgotten when somebody signs out", () => {
    keepPosition("v1", 100, 372);
    deleteUnsent();
    expect(positionOf("v1")).toBeNull();
  });
});

describe("how a file is played", () => {
  const media = (answer: string) => ({ canPlayType: () => answer }) as unknown as HTMLVideoElement;
  const film = { video_url: "/media/videos/v1", hls_url: "/media/videos/v1/master.m3u8" };

  const browser = (vendor: string, ...has: string[]) => {
    vi.unstubAllGlobals();
    vi.stubGlobal("navigator", { vendor });
    for (const name of has) vi.stubGlobal(name, () => undefined);
  };

  it("by hls.js in Chromium, whose own HLS ends films too early", () => {
    browser("Google Inc.", "MediaSource");
    expect(methodFor(media("maybe"), film)).toBe("hls.js");
    expect(methodFor(media(""), film)).toBe("hls.js");
  });

  it("by the browser itself on an iPhone and in Safari", () => {
    for (const has of [[], ["MediaSource"], ["ManagedMediaSource"]]) {
      browser("Apple Computer, Inc.", ...has);
      expect(methodFor(media("maybe"), film)).toBe("native");
    }
  });

  it("by the browser itself where hls.js cannot play, else as the one file", () => {
    browser("");
    expect(methodFor(media("maybe"), film)).toBe("native");
    expect(methodFor(media(""), film)).toBe("file");
    expect(methodFor(media("maybe"), { video_url: film.video_url })).toBe("file");
  });

  it("as the one small file for somebody who saves data", () => {
    vi.stubGlobal("navigator", { connection: { saveData: true } });
    expect(methodFor(media("maybe"), film)).toBe("file");
  });
});
