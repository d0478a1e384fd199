import { call, demoTest as test, expect, posted, samplePassword, test as ownTest, staff } from "./support/camp";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Card = { id: string; title: string; video_type: string; view_count: number; duration_seconds: number | null };

const currentTime = (video: HTMLVideoElement) => video.currentTime;

test("one of the camp's own videos plays, and can be seeked forward and back", async ({ page, request }) => {
  const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
  const film = items.find(({ video_type }) => video_type === "upload");
  if (!film) throw new Error("The sample camp has no video of its own.");
  const pieces: number[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/media/videos/")) pieces.push(response.status());
  });

  await page.goto(`/video/${film.id}`);
  await page.getByRole("button", { name: /^Play / }).click();
  const video = page.locator("video");
  await expect.poll(() => video.evaluate(currentTime)).toBeGreaterThan(0.3);
  expect(await video.evaluate((v: HTMLVideoElement) => ({ error: v.error, width: v.videoWidth > 0 }))).toEqual({
    error: null,
    width: true,
  });

  await video.evaluate((v: HTMLVideoElement) => {
    v.pause();
    v.currentTime = 5;
  });
  await expect
    .poll(() => video.evaluate((v: HTMLVideoElement) => !v.seeking && v.readyState >= 2 && v.currentTime))
    .toBeCloseTo(5, 1);
  const back = await video.evaluate(async (v: HTMLVideoElement) => {
    const sought = new Promise((done) => v.addEventListener("seeked", done, { once: true }));
    v.currentTime = 1;
    await sought;
    return v.currentTime;
  });
  expect(back).toBeCloseTo(1, 1);
  await video.evaluate((v: HTMLVideoElement) => v.play());
  await expect.poll(() => video.evaluate(currentTime)).toBeGreaterThan(1.2);
  expect(new Set(pieces), "files travel in pieces").toEqual(new Set([206]));

  const piece = await request.get(`/media/videos/${film.id}`, { headers: { range: "bytes=100-199" } });
  expect(piece.status()).toBe(206);
  expect(piece.headers()["content-range"]).toMatch(/^bytes 100-199\/\d+$/);
  expect((await piece.body()).length).toBe(100);
});

test("from the home page, tonight's video plays after one tap", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("region", { name: "Camp through the day" }).getByRole("article").getByRole("link").click();
  await expect(page).toHaveURL(/\/video\/[^?]+$/);
  await expect.poll(() => page.locator("video").evaluate(currentTime)).toBeGreaterThan(0.3);
  // Reloading does not count as pressing play.
  await page.reload();
  await expect(page.getByRole("button", { name: /^Play / })).toBeVisible();
});

test("a view is counted when somebody presses play, once, and not when the page is loaded", async ({
  page,
  request,
  somebody,
}) => {
  const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
  const film = items.filter(({ video_type }) => video_type === "upload").at(-1)!;
  const views = async () => (await call<Card>(request, "GET", `/api/videos/${film.id}`)).view_count;
  const before = await views();

  await page.goto(`/video/${film.id}`);
  await expect(page.getByRole("button", { name: /^Play / })).toBeVisible();
  await page.reload();
  await page.waitForLoadState("networkidle");
  expect(await views()).toBe(before);

  await page.getByRole("button", { name: /^Play / }).click();
  await expect.poll(views).toBe(before + 1);
  await page.reload();
  const counted = page.waitForResponse(/\/views$/);
  await page.getByRole("button", { name: /^Play / }).click();
  expect((await counted).ok()).toBe(true);
  expect(await views()).toBe(before + 1);

  const desk = await somebody();
  await call(desk.request, "POST", "/api/admin/auth/sign-in", { username: "brikwald", password: samplePassword });
  await desk.goto(`/video/${film.id}`);
  const ofStaff = desk.waitForResponse(/\/views$/);
  await desk.getByRole("button", { name: /^Play / }).click();
  await ofStaff;
  expect(await views()).toBe(before + 1);

  const other = await somebody();
  await other.goto(`/video/${film.id}`);
  await other.getByRole("button", { name: /^Play / }).click();
  await expect.poll(views).toBe(before + 2);
});

test("a video can be shared by mail, by WhatsApp and as a copied link", async ({ page, request, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
  const film = items[0]!;
  await page.goto(`/video/${film.id}`);
  await page.getByRole("button", { name: "Share" }).click();
  const whatsApp = new URL((await page.getByRole("link", { name: "WhatsApp" }).getAttribute("href"))!);
  expect(whatsApp.host).toBe("wa.me");
  expect(whatsApp.searchParams.get("text")).toBe(`Check out this camp video: ${film.title} ${page.url()}`);
  const mail = new URL((await page.getByRole("link", { name: "Email" }).getAttribute("href"))!);
  expect(mail.searchParams.get("body")).toContain(page.url());
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible();
});

ownTest("a video that cannot be played says so, and plays once its host is back", async ({ page, camp, somebody }) => {
  let away = true;
  const host = createServer((_request, answer) => answer.writeHead(away ? 404 : 200).end());
  await new Promise<void>((done) => host.listen(0, "127.0.0.1", done));
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, {
    title: "Campfire",
    video_url: `http://127.0.0.1:${(host.address() as AddressInfo).port}/campfire.mp4`,
  });
  await page.goto(`/video/${film.id}`);
  await expect(page.getByRole("alert")).toContainText("This video could not be played");
  await expect(page.getByRole("link", { name: "Open the file" })).toBeVisible();
  away = false;
  await page.getByRole("button", { name: "Retry" }).click();
  host.close();
  host.closeAllConnections();
});
