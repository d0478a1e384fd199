import { expect, it, vi } from "vitest";
import { entriesSince } from "./address";

it("counts entries from one that moved, because the browser dropped the oldest", () => {
  const entries = ["a", "b", "c"].map((key, index) => ({ key, index }));
  vi.stubGlobal("navigation", { entries: () => entries, currentEntry: entries[0] });
  expect(entriesSince("b")).toBe(-1);
  expect(entriesSince("a")).toBe(0);
  expect(entriesSince("gone")).toBeNaN();
  vi.stubGlobal("navigation", undefined);
  expect(entriesSince("a")).toBeNaN();
});
