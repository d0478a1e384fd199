import { call, demoTest as test, expect } from "./support/camp";
import { tabTo } from "./support/keyboard";
import type { APIRequestContext, Page } from "@playwright/test";

type Card = { id: string; video_type: string };

/** The URLs of two of the camp's own videos. */
async function films(request: APIRequestContext) {
  const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
  return items.filter(({ video_type }) => video_type === "upload").map(({ id }) => `/video/${id}`);
}

const stage = (page: Page) => page.getByRole("group", { name: "Video player" });
const state = (page: Page) =>
  page.locator("video").evaluate(({ paused, currentTime, muted, playbackRate }: HTMLVideoElement) => {
    return { paused, time: currentTime, muted, rate: playbackRate };
  });

async function play(page: Page, address: string) {
  await page.goto(address);
  await page.getByRole("button", { name: /^Play / }).click();
  await expect(stage(page).getByRole("slider", { name: "Seek" })).toBeVisible();
  await expect.poll(async () => (await state(page)).time).toBeGreaterThan(0);
}

test("a finger finds every control on the narrowest phone, shows and hides them, and skips", async ({
  request,
  somebody,
}) => {
  const page = await somebody({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
  await play(page, (await films(request))[0]!);
  const player = stage(page);
  await player.getByRole("button", { name: "Pause" }).tap();
  await player.getByRole("button", { name: "Settings" }).tap();
  const frame = (await player.boundingBox())!;
  const controls = await player.locator(":is(button, select, input):visible").all();
  expect(controls.length).toBeGreaterThan(5);
  for (const control of controls) {
    const name = (await control.getAttribute("aria-label")) ?? (await control.evaluate((one) => one.outerHTML));
    const box = (await control.boundingBox())!;
    expect.soft(Math.round(Math.min(box.width, box.height)), name).toBeGreaterThanOrEqual(44);
    expect.soft(box.x >= frame.x && box.x + box.width <= frame.x + frame.width + 1, name).toBe(true);
    expect.soft(box.y >= frame.y && box.y + box.height <= frame.y + frame.height + 1, name).toBe(true);
  }

  const tap = (part: number) => page.touchscreen.tap(frame.x + frame.width * part, frame.y + frame.height * 0.15);
  const bar = page.locator(".vp-bar");
  await tap(0.38);
  await expect(player.getByRole("button", { name: "Settings", expanded: false })).toBeVisible();
  await player.getByRole("slider", { name: "Seek" }).press("0");
  // Plays so slowly that the video does not end during the test.
  await page.locator("video").evaluate((video: HTMLVideoElement) => void (video.playbackRate = 0.1));
  await player.getByRole("button", { name: "Play", exact: true }).tap();
  await tap(0.38);
  await expect(bar).toHaveCSS("opacity", "0");
  // A tap where a button is hidden only shows the controls.
  const hidden = (await player.getByRole("button", { name: "Mute" }).boundingBox())!;
  await page.touchscreen.tap(hidden.x + 22, hidden.y + 22);
  await expect(bar).toHaveCSS("opacity", "1");
  expect(await state(page)).toMatchObject({ paused: false, muted: false });
  await page.locator("video").evaluate((video: HTMLVideoElement) => video.pause());
  await player.getByRole("slider", { name: "Seek" }).press("5");
  const before = (await state(page)).time;
  await tap(0.1);
  await tap(0.1);
  await expect(player.getByText("10 seconds back")).toBeVisible();
  expect((await state(page)).time).toBeLessThan(before);
});

test("the keyboard does what it does on YouTube, and reaches every control", async ({ page, request }) => {
  await play(page, (await films(request))[0]!);
  const player = stage(page);
  await expect(player.getByRole("button", { name: "Pause" })).toBeFocused();
  await page.keyboard.press("k");
  await expect(player.getByText("Paused")).toBeVisible();
  await page.keyboard.press("0");
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await state(page)).time).toBe(5);
  await page.keyboard.press("j");
  await page.keyboard.press("m");
  await page.keyboard.press(">");
  expect(await state(page)).toEqual({ paused: true, time: 0, muted: true, rate: 1.25 });
  for (const name of ["10 seconds forward", "Unmute", "Settings"])
    await tabTo(page, player.getByRole("button", { name }));
  await page.keyboard.press("Space");
  await tabTo(page, player.getByLabel("Speed"));
  await page.keyboard.press("Escape");
  await expect(player.getByRole("button", { name: "Settings", expanded: false })).toBeFocused();
  await tabTo(page, player.getByRole("button", { name: "Full screen" }));
  await page.keyboard.press("f");
  await expect(player.getByRole("button", { name: "Leave full screen" })).toBeFocused();
  await page.keyboard.press("f");
  await expect(player.getByRole("button", { name: "Full screen", exact: true })).toBeFocused();
});

test("a second video pauses the first one, also in another tab", async ({ page, request, context }) => {
  const [first, second] = await films(request);
  await play(page, first!);
  const other = await context.newPage();
  await play(other, second!);
  await expect.poll(async () => (await state(page)).paused).toBe(true);
  expect((await state(other)).paused).toBe(false);
});
