import { wholeBrowser } from "./support/browsers";
import { expect, posted, staff, test, toast, told } from "./support/camp";
import { isSound } from "./support/sound";
import type { Page, Worker } from "@playwright/test";

test.use({ launchOptions: wholeBrowser });

const card = (page: Page) => page.getByRole("complementary", { name: "Know when tonight’s video is up" });
const offer = (page: Page) => card(page).getByRole("switch", { name: "Show notifications on this device" });
const door = (page: Page) => card(page).getByRole("button", { name: "Notifications on this device" });
const listening = (page: Page) =>
  page.waitForResponse((response) => response.url().includes("/api/events") && response.ok());

/** This browser reports every page as visible, so the test sets the visibility itself. */
async function mayBeHidden(page: Page) {
  await page.addInitScript(() => {
    let hidden = false;
    Object.defineProperty(document, "hidden", { get: () => hidden });
    Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
    Object.assign(window, {
      hide: (yes: boolean) => {
        hidden = yes;
        document.dispatchEvent(new Event("visibilitychange"));
      },
    });
  });
}
const hide = (page: Page, yes = true) =>
  page.evaluate((hidden) => (window as unknown as { hide: (yes: boolean) => void }).hide(hidden), yes);

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration("/");
    return ((await registration?.getNotifications()) ?? []).map(({ title, body, tag }) => ({ title, body, tag }));
  });
const titles = async (page: Page) => (await shown(page)).map(({ title }) => title);

/** Clicks a notification. Only a real click may open windows, so the target is recorded instead. */
const clickOn = (worker: Worker, title: string) =>
  worker.evaluate(async (wanted) => {
    type Scope = {
      registration: ServiceWorkerRegistration;
      clients: { openWindow: (url: string) => Promise<null> };
      dispatchEvent: (event: Event) => void;
    };
    const scope = self as unknown as Scope;
    const notification = (await scope.registration.getNotifications()).find((one) => one.title === wanted);
    return new Promise<string>((led) => {
      scope.clients.openWindow = async (url) => (led(url), null);
      scope.dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil: () => undefined }));
    });
  }, title);

test("news is announced once, however many pages are in the background, and leads to its content", async ({
  page,
  context,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await context.grantPermissions(["notifications"]);
  await mayBeHidden(page);
  const line = listening(page);
  await page.goto("/");
  await line;
  expect(context.serviceWorkers()).toHaveLength(0);
  await door(page).click();
  await expect(offer(page)).not.toBeChecked();
  await expect(offer(page)).toBeFocused();
  await isSound(page, "the card with the switch");
  const started = context.waitForEvent("serviceworker");
  await offer(page).click();
  await expect(offer(page)).toBeChecked();
  const worker = await started;
  expect((await page.request.get("/sw.js")).headers()).toMatchObject({
    "cache-control": "no-cache",
    "content-type": "text/javascript",
  });

  await test.step("an example", async () => {
    await card(page).getByRole("button", { name: "Show an example" }).click();
    await expect.poll(() => titles(page)).toEqual(["Visiting Day"]);
    await page.evaluate(async () =>
      (await (await navigator.serviceWorker.ready).getNotifications()).forEach((one) => one.close()),
    );
  });

  const second = await context.newPage();
  await mayBeHidden(second);
  const also = listening(second);
  await second.goto("/current-videos");
  await also;

  await test.step("a visible page shows a toast as usual", async () => {
    await hide(page);
    await told(desk, { title: "Buses are late" });
    await expect(toast(second)).toContainText("Buses are late");
    await posted(desk, { title: "Lake day" });
    await expect(toast(second)).toContainText("Lake day");
    expect(await shown(page)).toEqual([]);
  });

  await test.step("in the background, each one becomes one notification", async () => {
    await hide(second);
    const update = await told(desk, {
      title: "Package room closes at 5",
      message: "Anything later is handed out on Friday.",
    });
    const video = await posted(desk, { title: "Grand Siyum" });
    await expect.poll(() => shown(page)).toHaveLength(2);
    expect((await shown(page)).toSorted((a, b) => b.title.localeCompare(a.title))).toEqual([
      { title: "Package room closes at 5", body: "Anything later is handed out on Friday.", tag: update.id },
      { title: "Grand Siyum", body: "A new video from Visiting Day", tag: video.id },
    ]);
    await expect(toast(page)).not.toContainText("Package room");
    await hide(second, false);
    await expect(second.getByRole("link", { name: "Grand Siyum" }).first()).toBeVisible();
    await expect(toast(second)).not.toContainText("Package room");
    await hide(second);
    await page.goto(await clickOn(worker, "Package room closes at 5"));
    await expect(page.getByRole("heading", { level: 1, name: "Package room closes at 5" })).toBeVisible();
    await page.goto(await clickOn(worker, "Grand Siyum"));
    await expect(page.getByRole("heading", { level: 1, name: "Grand Siyum" })).toBeVisible();
    await expect.poll(() => shown(page)).toEqual([]);
  });

  await test.step("the page that stays open keeps listening", async () => {
    await page.close();
    await told(desk, { title: "Lights out" });
    await expect.poll(() => titles(second)).toEqual(["Lights out"]);
  });

  await test.step("once the camp turns notifications off, none appear and nothing stays in the browser", async () => {
    camp.run(["settings", "set", "pushEnabled", "false"]);
    // The running portal picks up a setting from the command line a moment later.
    await expect.poll(async () => (await (await desk.request.get("/api/site")).json()).push_enabled).toBe(false);
    await told(desk, { title: "Rain plan" });
    await expect
      .poll(() => second.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0);
    await hide(second, false);
    await second.goto("/");
    await expect(card(second).getByRole("link", { name: "Sign Up for Notifications" })).toBeVisible();
    await expect(offer(second)).toHaveCount(0);
    await expect(door(second)).toHaveCount(0);
  });
});

test("a browser that blocks notifications is told apart from one that was never asked", async ({ page, context }) => {
  await context.clearPermissions();
  await page.addInitScript(() => {
    Object.defineProperty(Notification, "permission", { get: () => "denied" });
  });
  await page.goto("/");
  await door(page).click();
  await expect(offer(page)).toBeDisabled();
  await expect(
    card(page).getByText(/^This browser blocks notifications from the camp\. Allow them in the site settings/),
  ).toBeVisible();
  await isSound(page, "the card in a browser that blocks");
});
