import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteUnsent } from "../lib/delete-unsent";
import { device, hide } from "../test/device";
import { eventLine } from "../test/events";
import { chaya, open, refuse, server, site, update, video } from "../test/portal";

let line: ReturnType<typeof eventLine>;
let phone: ReturnType<typeof device>;

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal("requestIdleCallback", (run: () => void) => setTimeout(run, 0));
  vi.stubGlobal("cancelIdleCallback", clearTimeout);
  vi.spyOn(Math, "random").mockReturnValue(0);
  line = eventLine();
  phone = device();
});
afterEach(() => {
  hide(false);
  phone.forget();
});

const card = async () => within(await screen.findByRole("complementary", { name: "Know when tonight’s video is up" }));
const door = { name: "Notifications on this device" };
const offer = async () => (await card()).findByRole("switch", { name: "Show notifications on this device" });
const moment = () => act(() => new Promise((done) => setTimeout(done, 40)));
const news = (change = {}) =>
  update({
    id: "n2",
    title: "The buses have left",
    message: "All on board.",
    created_at: new Date().toISOString(),
    ...change,
  });

async function openCard() {
  const user = open("/");
  await user.click(await (await card()).findByRole("button", door));
  return user;
}

describe("the switch", () => {
  it("asks the browser only after a click, and remembers the answer in this browser", async () => {
    server({});
    const user = await openCard();
    expect(await offer()).toHaveProperty("checked", false);
    expect(document.activeElement).toBe(await offer());
    expect(phone.Notification.requestPermission).not.toHaveBeenCalled();
    expect(phone.workers.registered).toBe(0);
    await user.click(await offer());
    await waitFor(async () => expect(await offer()).toHaveProperty("checked", true));
    expect(phone.workers.registered).toBeGreaterThan(0);
    await user.click(await offer());
    await waitFor(async () => expect(await offer()).toHaveProperty("checked", false));
    expect(phone.workers.left).toBe(1);
    expect(localStorage.getItem("notifications")).toBeNull();
  });

  it("says what to do if the browser blocks notifications", async () => {
    phone = device("denied");
    server({});
    const user = await openCard();
    await user.click(await offer());
    expect(await (await card()).findByText(/^This browser blocks notifications from the camp/)).toBeTruthy();
    expect(await offer()).toMatchObject({ checked: false, disabled: true });
    expect(phone.workers.registered).toBe(0);
  });

  it("can be tried again when the question was left unanswered", async () => {
    phone = device("default");
    server({});
    const user = await openCard();
    await user.click(await offer());
    expect(await (await card()).findByText(/You didn’t answer/)).toBeTruthy();
    expect(await offer()).toMatchObject({ checked: false, disabled: false });
  });

  it("leads an iPhone to its home screen", async () => {
    Reflect.deleteProperty(globalThis, "Notification");
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)");
    server({});
    await openCard();
    expect(await (await card()).findByText(/Add to Home Screen/)).toBeTruthy();
    expect(await offer()).toHaveProperty("disabled", true);
  });

  it("is on the profile too, but not if the camp or the access rules forbid it", async () => {
    server({
      "GET /api/session": { user: chaya },
      "GET /api/profile/payments": { plan: null, items: [], currency: "USD", payment_instructions: "" },
    });
    open("/profile");
    const section = within(await screen.findByRole("region", { name: "On this device" }));
    expect(await section.findByRole("switch", { name: "Show notifications on this device" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "On this device" })).toBeTruthy();
  });

  it.each([
    ["the camp has switched them off", { push_enabled: false }],
    ["one may not read the updates", { access: "families" }],
  ])("is not offered while %s", async (_why, change) => {
    server({ "GET /api/site": { ...site, ...change } });
    open("/");
    await (await card()).findByRole("link", { name: "Sign Up for Notifications" });
    await moment();
    expect((await card()).queryByRole("button", door)).toBeNull();
  });
});

describe("a device that has them on", () => {
  async function listening(answers: Record<string, unknown> = {}) {
    localStorage.setItem("notifications", "on");
    phone.Notification.permission = "granted";
    const camp = server({ "GET /api/live-updates/n2": { ...news(), withdrawn: false }, ...answers });
    open("/");
    await waitFor(() => expect(line.open()).toHaveLength(1));
    await waitFor(() => expect(phone.held.map(({ name }) => name)).toContain("notifications: who listens"));
    line.hello(1);
    await moment();
    return camp;
  }
  const hidden = async () => {
    hide(true);
    await moment();
  };

  it("keeps listening while hidden, and shows each update and video once, with its link", async () => {
    await listening();
    await hidden();
    expect(line.open()).toHaveLength(1);
    line.tell("update.created", news(), "2");
    line.tell("video.published", { id: "v9", title: "Grand Siyum", published_at: new Date().toISOString() }, "3");
    line.tell("update.created", news(), "4");
    await waitFor(() => expect(phone.shown).toHaveLength(2));
    await moment();
    expect(phone.shown).toMatchObject([
      { title: "The buses have left", body: "All on board.", tag: "n2", data: { path: "/updates/n2" } },
      { title: "Grand Siyum", body: "A new video from Camp Pine Lake", tag: "v9", data: { path: "/video/v9" } },
    ]);
    expect(screen.queryByText(/Camp Update!/)).toBeNull();
  });

  it("shows it on the page instead while the page is visible", async () => {
    await listening();
    line.tell("update.created", news(), "2");
    line.tell("video.published", { id: "v9", title: "Grand Siyum", published_at: new Date().toISOString() }, "3");
    expect(await screen.findByText("New Camp Pine Lake Camp Update!")).toBeTruthy();
    expect(await screen.findByText("Grand Siyum")).toBeTruthy();
    await moment();
    expect(phone.shown).toHaveLength(0);
  });

  it("leaves it to another page that is visible", async () => {
    await listening();
    await hidden();
    phone.asElsewhere("notifications: a page in sight");
    line.tell("update.created", news(), "2");
    localStorage.setItem("notified", JSON.stringify([["n2", "here"]]));
    await new Promise((done) => setTimeout(done, 1_200));
    expect(phone.shown).toHaveLength(0);
  });

  it("shows it after all when that page is closed before it says it", async () => {
    await listening();
    await hidden();
    phone.asElsewhere("notifications: a page in sight");
    line.tell("update.created", news(), "2");
    await moment();
    expect(phone.shown).toHaveLength(0);
    await waitFor(() => expect(phone.shown).toMatchObject([{ title: "The buses have left" }]), { timeout: 3_000 });
  });

  it("says nothing of what another page has said, or of what is hours old", async () => {
    await listening();
    localStorage.setItem("notified", JSON.stringify([["n2", "by notification"]]));
    await hidden();
    line.tell("update.created", news(), "2");
    line.tell(
      "update.created",
      news({ id: "n3", created_at: new Date(Date.now() - 3 * 3_600_000).toISOString() }),
      "3",
    );
    line.tell(
      "video.published",
      { id: "v9", title: "Old", published_at: new Date(Date.now() - 3 * 3_600_000).toISOString() },
      "4",
    );
    await moment();
    expect(phone.shown).toHaveLength(0);
    hide(false);
    line.tell("update.created", news(), "5");
    await moment();
    expect(screen.queryByText(/Camp Update!/)).toBeNull();
  });

  it("waits for the end of quiet time, and then shows everything once and in order", async () => {
    await listening({ "GET /api/videos/v9": video() });
    await hidden();
    const quiet_until = new Date(Date.now() + 400).toISOString();
    line.tell("update.created", news({ quiet_until }), "2");
    line.tell(
      "video.published",
      { id: "v9", title: "Grand Siyum", published_at: new Date().toISOString(), quiet_until },
      "3",
    );
    line.tell("update.created", news({ id: "n3", title: "Withdrawn", quiet_until }), "4");
    line.tell("update.created", news({ id: "n4", title: "The road is closed" }), "5");
    await waitFor(() => expect(phone.shown).toMatchObject([{ title: "The road is closed" }]));
    line.tell("update.removed", { id: "n3" }, "6");
    await waitFor(() => expect(phone.shown).toHaveLength(3), { timeout: 3_000 });
    expect(phone.shown.map(({ tag }) => tag)).toEqual(["n4", "n2", "v9"]);
    await moment();
    expect(phone.shown).toHaveLength(3);
    expect(localStorage.getItem("waitingNotices")).toBeNull();
  });

  it("forgets what waits when somebody signs out", async () => {
    await listening();
    await hidden();
    line.tell("update.created", news({ quiet_until: new Date(Date.now() + 3_600_000).toISOString() }), "2");
    await waitFor(() => expect(localStorage.getItem("waitingNotices")).toContain("The buses have left"));
    deleteUnsent();
    expect(localStorage.getItem("waitingNotices")).toBeNull();
  });

  it("shows what an earlier page left waiting, unless it is too old", async () => {
    const left = (id: string, hours: number) => ({
      id,
      title: id,
      body: "",
      path: "/",
      quietUntil: new Date(Date.now() - hours * 3_600_000).toISOString(),
    });
    localStorage.setItem("waitingNotices", JSON.stringify([left("n2", 1), left("n3", 20)]));
    await listening();
    await waitFor(() => expect(phone.shown.map(({ tag }) => tag)).toEqual(["n2"]));
  });

  it("takes back what was withdrawn", async () => {
    await listening();
    await hidden();
    line.tell("update.created", news(), "2");
    await waitFor(() => expect(phone.shown).toHaveLength(1));
    line.tell("update.removed", { id: "n2" }, "3");
    await waitFor(() => expect(phone.shown).toHaveLength(0));
  });

  it("shows no video that was taken back while it waited", async () => {
    await listening({ "GET /api/videos/v9": refuse(404, "not_found") });
    await hidden();
    const quiet_until = new Date(Date.now() + 300).toISOString();
    const published_at = new Date().toISOString();
    line.tell("video.published", { id: "v9", title: "Grand Siyum", published_at, quiet_until }, "2");
    line.tell("update.created", news({ quiet_until }), "3");
    await waitFor(() => expect(phone.shown).toHaveLength(1), { timeout: 3_000 });
    await moment();
    expect(phone.shown.map(({ tag }) => tag)).toEqual(["n2"]);
  });

  it.each([
    ["withdrawn", { ...update({ id: "n2" }), withdrawn: true }],
    ["for others only", refuse(401, "sign_in_required")],
  ])("shows no update of an earlier page that is %s by now", async (_why, answer) => {
    const quietUntil = new Date(Date.now() - 60_000).toISOString();
    const left = (id: string) => ({ id, title: id, body: "The bus is late", path: `/updates/${id}`, quietUntil });
    localStorage.setItem("waitingNotices", JSON.stringify([left("n2"), left("n3")]));
    await listening({
      "GET /api/live-updates/n2": answer,
      "GET /api/live-updates/n3": { ...update({ id: "n3" }), withdrawn: false },
    });
    await waitFor(() => expect(phone.shown.map(({ tag }) => tag)).toEqual(["n3"]));
  });

  it("closes a video's notification once it may not be seen, and leaves others", async () => {
    const camp = await listening({ "GET /api/videos/v8": video(), "GET /api/videos/v9": video() });
    await hidden();
    const published_at = new Date().toISOString();
    line.tell("video.published", { id: "v8", title: "Boats", published_at }, "2");
    line.tell("video.published", { id: "v9", title: "Grand Siyum", published_at }, "3");
    await waitFor(() => expect(phone.shown).toHaveLength(2));
    camp.answer("GET /api/videos/v9", refuse(401, "sign_in_required"));
    line.tell("video.changed", { id: "v8" }, "4");
    line.tell("video.changed", { id: "v9" }, "5");
    await waitFor(() => expect(phone.shown.map(({ tag }) => tag)).toEqual(["v8"]));
  });

  it("shows none once the camp has turned them off", async () => {
    const camp = await listening();
    await hidden();
    camp.answer("GET /api/site", { ...site, push_enabled: false });
    line.tell("update.created", news(), "2");
    await waitFor(() => expect(camp.asked("GET", "/api/site").length).toBeGreaterThan(1));
    await moment();
    expect(phone.shown).toHaveLength(0);
    await waitFor(() => expect(phone.held).toHaveLength(0));
  });
});

it("a hidden listening page waits until the one before it is gone", async () => {
  localStorage.setItem("notifications", "on");
  phone.Notification.permission = "granted";
  let gone: () => void = () => undefined;
  void navigator.locks.request(
    "notifications: who listens",
    { mode: "exclusive", signal: new AbortController().signal },
    () => new Promise<void>((done) => (gone = done)),
  );
  server({});
  open("/");
  await waitFor(() => expect(line.open()).toHaveLength(1));
  await waitFor(() => expect(phone.held).toHaveLength(2));
  hide(true);
  await moment();
  expect(line.open()).toHaveLength(0);
  gone();
  await waitFor(() => expect(line.open()).toHaveLength(1));
});
