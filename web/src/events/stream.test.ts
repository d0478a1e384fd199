import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventLine } from "../test/events";
import { follow, type Connection } from "./stream";

let connection: Connection;
let server: ReturnType<typeof eventLine>;
const told: string[] = [];
const listener = {
  onEvent: vi.fn<(kind: string, data: unknown) => void>(
    (kind, data) => void told.push(`${kind} ${JSON.stringify(data)}`),
  ),
  onFirstConnection: vi.fn<() => void>(),
  onReconnection: vi.fn<() => void>(),
  onReset: vi.fn<() => void>(),
  onConnectionChange: vi.fn<(yes: boolean) => void>(),
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  told.length = 0;
  Object.values(listener).forEach((spy) => spy.mockClear());
  server = eventLine();
  connection = follow(listener);
});

afterEach(() => connection.end());

function look(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
}

it("opens one connection and receives each event once and in order", () => {
  expect(server.lines.map(({ url }) => url)).toEqual(["/api/events"]);
  server.hello(7);
  server.tell("update.removed", { id: "a" }, "8");
  server.tell("update.removed", { id: "a" }, "8");
  server.tell("video.changed", { id: "b" }, "9");
  expect(told).toEqual(['update.removed {"id":"a"}', 'video.changed {"id":"b"}']);
  expect(listener.onFirstConnection).toHaveBeenCalledTimes(1);
  expect(listener.onConnectionChange).toHaveBeenLastCalledWith(true);
});

it("comes back after 1, 2, 5, 10, 20 and then every 30 seconds, from where it was", () => {
  server.hello(7);
  server.tell("update.removed", { id: "a" }, "8");
  const urls = () => server.lines.length;
  for (const [i, wait] of [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 30_000].entries()) {
    server.cut();
    expect(server.open()).toHaveLength(0);
    vi.advanceTimersByTime(wait - 1);
    expect(urls()).toBe(i + 1);
    vi.advanceTimersByTime(1);
    expect(urls()).toBe(i + 2);
  }
  expect(server.lines.at(-1)?.url).toBe("/api/events?last_event_id=8");
  expect(listener.onConnectionChange).toHaveBeenLastCalledWith(false);
});

it("begins with short waits again after a connection", () => {
  server.cut();
  vi.advanceTimersByTime(1_000);
  server.cut();
  vi.advanceTimersByTime(2_000);
  server.hello(7);
  server.cut();
  vi.advanceTimersByTime(1_000);
  expect(server.open()).toHaveLength(1);
});

it("tells each time that it is connected again, but not the first time", () => {
  server.hello(7);
  expect(listener.onReconnection).not.toHaveBeenCalled();
  server.cut();
  vi.advanceTimersByTime(1_000);
  expect(listener.onReconnection, "not before it is connected").not.toHaveBeenCalled();
  server.hello(7);
  expect(listener.onReconnection).toHaveBeenCalledTimes(1);
  look(true);
  look(false);
  server.hello(7);
  expect(listener.onReconnection).toHaveBeenCalledTimes(2);
});

it("disconnects while the page is hidden, and reconnects at once when it is visible", () => {
  server.hello(7);
  look(true);
  expect(server.open()).toHaveLength(0);
  vi.advanceTimersByTime(3_600_000);
  expect(server.open()).toHaveLength(0);
  look(false);
  expect(server.open().map(({ url }) => url)).toEqual(["/api/events?last_event_id=7"]);
});

it("does not wait out its pause when the network is back", () => {
  server.hello(7);
  dispatchEvent(new Event("offline"));
  expect(server.open()).toHaveLength(0);
  dispatchEvent(new Event("online"));
  expect(server.open()).toHaveLength(1);
});

it("does not trust a connection after the device was asleep", () => {
  server.hello(7);
  vi.setSystemTime(Date.now() + 600_000);
  vi.advanceTimersByTime(15_000);
  expect(server.lines).toHaveLength(2);
  expect(server.open()).toHaveLength(1);
});

it("asks for a full refetch when the server cannot tell what was missed", () => {
  server.hello(7);
  server.cut();
  vi.advanceTimersByTime(1_000);
  server.tell("hello", { id: 900 });
  expect(listener.onReset).not.toHaveBeenCalled();
  server.tell("reset", {}, "900");
  expect(listener.onReset).toHaveBeenCalledTimes(1);
  server.cut();
  vi.advanceTimersByTime(2_000);
  expect(server.lines.at(-1)?.url).toBe("/api/events?last_event_id=900");
});

it("ends when told to", () => {
  connection.end();
  vi.advanceTimersByTime(3_600_000);
  expect(server.open()).toHaveLength(0);
});
