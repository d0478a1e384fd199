import { expect, it } from "vitest";
import { fileSize, ladder, percentOf, sentOf, timeLeft } from "./words";

it.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1_500, "1.5 KB"],
  [388_000_000, "388 MB"],
  [1_234_000_000, "1.2 GB"],
])("a size of %i bytes is said as %s", (bytes, words) => expect(fileSize(bytes)).toBe(words));

it.each([
  [214_000_000, 388_000_000, "214 of 388 MB"],
  [999, 60_000_000, "0 of 60 MB"],
  [1_150_000_000, 4_000_000_000, "1.1 of 4 GB"],
])("what has arrived is said in the unit of the whole", (sent, size, words) => expect(sentOf(sent, size)).toBe(words));

it.each([
  [4, "a few seconds left"],
  [31, "about 40 seconds left"],
  [60, "about a minute left"],
  [245, "about 4 minutes left"],
  [7_300, "about 2 hours left"],
])("%i seconds are said as people say them", (seconds, words) => expect(timeLeft(seconds)).toBe(words));

it("a percentage is never rounded up to 100", () => {
  expect(percentOf(999, 1_000)).toBe(99);
  expect(percentOf(0, 0)).toBe(0);
});

it("a size of the picture is named by its shorter side, as in a portrait video", () => {
  const rungs = [
    { width: 480, height: 854, size_bytes: 1 },
    { width: 1080, height: 1920, size_bytes: 3 },
  ];
  expect(ladder(rungs)).toBe("1080p, 480p");
});
