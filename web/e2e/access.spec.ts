import { call, expect, onYouTube, parent, posted, samplePassword, signIn, staff, test } from "./house/camp";
import type { Page } from "@playwright/test";

type Card = { id: string; title: string; video_type: string };

/** Everything that the server sends to this browser from now on. */
function listen(page: Page) {
  const received: Promise<string>[] = [];
  page.on("response", (response) => {
    const body = response.body().then((bytes) => bytes.toString("latin1"), () => "");
    received.push(body.then((text) => `${response.url()}\n${JSON.stringify(response.headers())}\n${text}`));
  });
  return async () => (await Promise.all(received)).join("\n");
}

test.describe("When only families of the camp may watch", () => {
  test.use({ settings: { access: "families" } });

  test("a stranger sees the gate and nothing that leads to a video; an approved family watches", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    const video = await posted(desk, { title: "Swim relay", description: "Six bunks, one wet baton." });
    const secrets = ["dQw4w9WgXcQ", "i.ytimg.com/vi", "wet baton"];

    await test.step("signed out: title, date and a neutral picture, no more", async () => {
      const received = listen(page);
      for (const address of ["/", "/current-videos"]) {
        await page.goto(address);
        await expect(page.getByRole("link", { name: "Swim relay" }).first()).toBeVisible();
        await expect(page.getByText("Sign in to watch").first()).toBeVisible();
      }
      await page.goto(`/video/${video.id}`);
      await expect(page.getByRole("heading", { name: "Please sign in to watch" })).toBeVisible();
      const everything = await received();
      expect(everything).toContain("Swim relay");
      for (const secret of secrets) expect(everything).not.toContain(secret);
    });

    await test.step("signed up by herself: she waits for the camp, and sees as little", async () => {
      await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
      const received = listen(page);
      await page.goto("/");
      await page.goto(`/video/${video.id}`);
      await expect(page.getByRole("heading", { name: "Waiting for the camp's approval" })).toBeVisible();
      expect((await page.request.get(`/api/videos/${video.id}`)).status()).toBe(403);
      expect((await page.request.get(`/api/videos/${video.id}/comments`)).status()).toBe(403);
      const everything = await received();
      for (const secret of secrets) expect(everything).not.toContain(secret);
    });

    await test.step("the camp approves her, tells her by mail, and the video plays", async () => {
      const waiting = await call<{ items: { id: string; full_name: string }[] }>(desk.request, "GET", "/api/admin/users?filter=to_approve");
      expect(waiting.items.map(({ full_name }) => full_name)).toEqual(["Chaya Feder"]);
      await call(desk.request, "POST", `/api/admin/users/${waiting.items[0]?.id}/approve`);
      await camp.mailTo("chaya@family.example", /Welcome to/);
      await page.reload();
      await page.getByRole("button", { name: "Play Swim relay" }).click();
      await expect(page.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
    });

    await test.step("a mail about a video carries no picture, since mails are forwarded", async () => {
      await posted(desk, { title: "Campfire", video_url: onYouTube("aaaaaaaaaaa").link });
      const mail = await camp.mailTo("chaya@family.example", /Campfire/);
      expect(mail.html).not.toContain("ytimg");
    });
  });
});

test.describe("When only families may watch the sample camp", () => {
  test.use({ seeded: true, settings: { access: "families" } });

  test("no byte of the portal's own files reaches a stranger, and a family of the camp plays them", async ({ page, request, somebody }) => {
    const family = await somebody();
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    const own = items[0];
    if (!own) throw new Error("The sample camp has no video.");

    const received = listen(page);
    for (const address of ["/", "/current-videos", "/past-videos", `/video/${own.id}`]) {
      await page.goto(address);
      await page.waitForLoadState("networkidle");
    }
    await expect(page.getByRole("heading", { name: "Please sign in to watch" })).toBeVisible();
    const everything = await received();
    expect(everything).not.toMatch(/\/media\/(videos|thumbnails)\/|youtube-nocookie\.com\/embed|drive\.google\.com\/(file|thumbnail)/);
    for (const address of [`/media/videos/${own.id}`, `/media/thumbnails/${own.id}`, `/api/videos/${own.id}`]) {
      const answer = await request.get(address);
      expect(answer.status(), address).toBe(401);
    }

    await family.goto(`/video/${own.id}`);
    await family.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await signIn(family, "leah.lindenfeld@family.example", samplePassword);
    await expect(family).toHaveURL(new RegExp(own.id));
    await family.getByRole("button", { name: /^Play / }).click();
    await expect.poll(() => family.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0);
  });
});

test.describe("When one must be signed in to watch", () => {
  test.use({ settings: { access: "signed_in" } });

  test("signing in at the gate leads back to the video", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    const video = await posted(desk, { title: "Swim relay" });
    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await page.context().clearCookies();
    await page.goto(`/video/${video.id}`);
    await expect(page.getByRole("heading", { name: "Please sign in to watch" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await signIn(page, "chaya@family.example");
    await expect(page.getByRole("button", { name: "Play Swim relay" })).toBeVisible();
  });
});
