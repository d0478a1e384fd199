import { call, demoTest as test, expect } from "./support/camp";
import type { Page } from "@playwright/test";

const scenes = ["Campfire at night", "Lake at dawn", "Field at noon"] as const;
const dot = (page: Page, scene: string) => page.getByRole("button", { name: scene });
const shows = (page: Page, scene: string) => expect(dot(page, scene)).toHaveAttribute("aria-current", "true");

test.describe("The scenes at the top of Home", () => {
  test("change every half minute, stop when paused, and follow arrows and dots", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.clock.install();
    await page.goto("/");
    await shows(page, scenes[0]);
    // The clock also runs on its own, on a busy machine by seconds at each step.
    await page.clock.pauseAt(Date.now() + 5_000);
    await page.clock.runFor(5_000);
    await shows(page, scenes[0]);
    await page.clock.runFor(21_000);
    await shows(page, scenes[1]);

    await page.getByRole("button", { name: "Pause" }).click();
    await page.clock.runFor(90_000);
    await shows(page, scenes[1]);

    await page.getByRole("button", { name: "Next scene" }).click();
    await shows(page, scenes[2]);
    await page.getByRole("button", { name: "Next scene" }).click();
    await shows(page, scenes[0]);
    await page.getByRole("button", { name: "Previous scene" }).click();
    await shows(page, scenes[2]);
    await dot(page, scenes[1]).click();
    await shows(page, scenes[1]);

    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.clock.runFor(30_500);
    await shows(page, scenes[2]);
  });

  test("do not move for people who asked for less motion, but still follow the arrows", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.clock.install();
    await page.goto("/");
    await shows(page, scenes[0]);
    await expect(page.getByRole("button", { name: "Pause" })).toBeHidden();
    await page.clock.runFor(90_000);
    await shows(page, scenes[0]);
    await page.getByRole("button", { name: "Next scene" }).click();
    await shows(page, scenes[1]);
  });

  test("follow a finger on a phone, but not a scroll", async ({ somebody }) => {
    const phone = await somebody({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await phone.goto("/");
    await shows(phone, scenes[0]);
    const swipe = await fingerOn(phone);
    await swipe([320, 200], [80, 210]);
    await shows(phone, scenes[1]);
    await swipe([80, 200], [320, 210]);
    await shows(phone, scenes[0]);
    await swipe([200, 300], [150, 120]);
    await shows(phone, scenes[0]);
  });
});

async function fingerOn(page: Page) {
  const finger = await page.context().newCDPSession(page);
  return async ([x, y]: [number, number], [toX, toY]: [number, number]) => {
    await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    for (const part of [0.25, 0.5, 0.75, 1]) {
      await finger.send("Input.dispatchTouchEvent", {
        type: "touchMove",
        touchPoints: [{ x: x + (toX - x) * part, y: y + (toY - y) * part }],
      });
    }
    await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
}

test("a page in Yiddish direction is a mirror image, and its scenes are swiped in the other direction", async ({
  somebody,
}) => {
  const phone = await somebody({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  await phone.goto("/");
  await shows(phone, scenes[0]);
  await expect(phone.getByRole("region", { name: "Latest videos" }).getByRole("article")).toHaveCount(3);
  await expect(phone.getByRole("contentinfo").getByRole("textbox")).toBeVisible();
  // Measures both at once, because content that loads in between would shift them.
  const { before, after } = await phone.evaluate(() => {
    const places = () => {
      const marks = [
        ...document.querySelectorAll(
          "header a, header button, h1, h2, main article time, .hero-controls button, footer a, footer input",
        ),
      ];
      const boxes = marks
        .map((mark) => mark.getBoundingClientRect())
        .filter(({ width, height }) => width > 0 && height > 0);
      return {
        width: document.documentElement.clientWidth,
        sideways: document.documentElement.scrollWidth,
        boxes: boxes.map(({ left, right }) => [Math.round(left), Math.round(right)] as const),
      };
    };
    const usual = places();
    Object.assign(document.documentElement, { dir: "rtl", lang: "yi" });
    return { before: usual, after: places() };
  });
  expect(after.sideways).toBe(after.width);
  const mirrored = before.boxes.filter(([left, right], i) => {
    const [newLeft, newRight] = after.boxes[i]!;
    return Math.abs(before.width - right - newLeft) <= 2 && Math.abs(before.width - left - newRight) <= 2;
  });
  expect(before.boxes.length).toBeGreaterThan(25);
  expect(mirrored.length / before.boxes.length, "of everything with a place of its own").toBeGreaterThan(0.95);

  const swipe = await fingerOn(phone);
  await swipe([80, 200], [320, 210]);
  await shows(phone, scenes[1]);
});

test("the theme follows the device until one is chosen, and the choice is kept", async ({ page }) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  const light = await paper();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(paper).not.toBe(light);
  const dark = await paper();

  const theme = page.getByRole("contentinfo").getByRole("group", { name: "Theme" });
  await theme.getByRole("button", { name: "Light" }).click();
  await expect.poll(paper).toBe(light);
  await page.reload();
  expect(await paper()).toBe(light);
  await page.emulateMedia({ colorScheme: "light" });
  await theme.getByRole("button", { name: "Dark" }).click();
  await page.goto("/past-videos");
  expect(await paper()).toBe(dark);
  await theme.getByRole("button", { name: "System" }).click();
  await expect.poll(paper).toBe(light);
});

test("the menu on a phone opens, leads on, and closes by Escape, cross and backdrop", async ({ somebody }) => {
  const phone = await somebody({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  await phone.goto("/");
  const menu = phone.getByRole("dialog", { name: "Menu" });
  const open = phone.getByRole("button", { name: "Open menu" });
  await open.tap();
  await expect(menu.getByRole("link", { name: "Staff Access" })).toBeVisible();
  await phone.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(open).toBeFocused();
  await open.tap();
  await menu.getByRole("button", { name: "Close menu" }).tap();
  await expect(menu).toBeHidden();
  await open.tap();
  await expect(menu).toBeVisible();
  await phone.touchscreen.tap(10, 400);
  await expect(menu).toBeHidden();
  await open.tap();
  await menu.getByRole("link", { name: "Past Videos" }).tap();
  await expect(phone.getByRole("heading", { name: "Gallery", level: 1 })).toBeVisible();
  await expect(menu).toBeHidden();
  await open.tap();
  await expect(menu.getByRole("link", { name: "Past Videos" })).toHaveAttribute("aria-current", "page");
});

test.describe("in another time zone", () => {
  test.use({ timezoneId: "America/Los_Angeles" });

  test("the newest video's time names the camp's zone, and its facts stay on one line", async ({ page, request }) => {
    // Uses the newest video's own time, because in quiet time there may be no video from today or yesterday.
    const { items } = await call<{ items: { published_at: string }[] }>(request, "GET", "/api/videos?collection=home");
    const newest = Math.max(...items.map(({ published_at }) => Date.parse(published_at)));
    await page.clock.setFixedTime(newest + 60_000);
    await page.goto("/");
    const facts = page.getByRole("article").first().locator("p");
    const time = facts.getByRole("time");
    await expect(time).toHaveText(/ E[SD]T$/);
    for (const width of [320, 390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [line, text] = [(await facts.boundingBox())!, (await time.boundingBox())!];
      expect(text.height, `${width}`).toBeLessThan(24);
      expect(line.height, `${width}`).toBeLessThan(24);
      await expect(facts.getByText(/reads$/), `${width}`).toBeInViewport({ ratio: 0.9 });
    }
  });
});
