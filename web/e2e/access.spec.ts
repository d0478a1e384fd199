import {
  call,
  expect,
  onYouTube,
  parent,
  posted,
  samplePassword,
  signIn,
  signUp,
  staff,
  test,
  told,
} from "./support/camp";
import { pause } from "./support/portal";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Card = { id: string; title: string; video_type: string };

/** Collects everything that the server sends to this browser from now on. */
function listen(page: Page) {
  const received: Promise<string>[] = [];
  page.on("response", (response) => {
    const body = response.body().then(
      (bytes) => bytes.toString("latin1"),
      () => "",
    );
    received.push(body.then((text) => `${response.url()}\n${JSON.stringify(response.headers())}\n${text}`));
  });
  return async () => (await Promise.all(received)).join("\n");
}

test.describe("When only families of the camp may watch", () => {
  test.use({ settings: { access: "families" } });

  test("a stranger sees the gate and nothing that leads to a video; an approved family watches", async ({
    page,
    camp,
    somebody,
  }) => {
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

    await test.step("after signing up on her own, she waits for the camp and sees no more than before", async () => {
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
      const waiting = await call<{ items: { id: string; full_name: string }[] }>(
        desk.request,
        "GET",
        "/api/admin/users?filter=to_approve",
      );
      expect(waiting.items.map(({ full_name }) => full_name)).toEqual(["Chaya Feder"]);
      await call(desk.request, "POST", `/api/admin/users/${waiting.items[0]?.id}/approve`);
      await camp.mailTo("chaya@family.example", /Welcome to/);
      // The open page checks again by itself.
      await page.getByRole("button", { name: "Play Swim relay" }).click();
      await expect(page.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
    });

    await test.step("an email about a video contains no picture, because emails get forwarded", async () => {
      await posted(desk, { title: "Campfire", video_url: onYouTube("aaaaaaaaaaa").link });
      const mail = await camp.mailTo("chaya@family.example", /Campfire/);
      expect(mail.html).not.toContain("ytimg");
    });
  });
});

test.describe("When only families may watch the sample camp", () => {
  test.use({ seeded: true, settings: { access: "families" } });

  test("strangers get no byte of the portal's own files, and a camp family can play them", async ({
    page,
    request,
    camp,
    somebody,
  }) => {
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
    expect(everything).not.toMatch(
      /\/media\/(videos|thumbnails)\/|youtube-nocookie\.com\/embed|drive\.google\.com\/(file|thumbnail)/,
    );
    for (const address of [`/media/videos/${own.id}`, `/media/thumbnails/${own.id}`, `/api/videos/${own.id}`]) {
      const answer = await request.get(address);
      expect(answer.status(), address).toBe(401);
    }

    await family.goto(`/video/${own.id}`);
    await family.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await signIn(family, "leah.lindenfeld@family.example", samplePassword);
    await expect(family).toHaveURL(new RegExp(own.id));
    await family.getByRole("button", { name: /^Play / }).click();
    await expect
      .poll(() => family.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime))
      .toBeGreaterThan(0);

    await test.step("everybody with an account can play the same files once the camp allows it", async () => {
      await signUp(page, { name: "Bubby Feder", email: "bubby@family.example" });
      const file = `/media/videos/${own.id}`;
      expect((await page.request.get(file)).status()).toBe(403);
      camp.run(["settings", "set", "access", "signed_in"]);
      await expect
        .poll(async () => (await page.request.get(file, { headers: { range: "bytes=0-9" } })).status())
        .toBe(206);
      expect((await request.get(file)).status()).toBe(401);
    });
  });
});

/** Collects the raw events that this browser receives from now on. */
async function overhear(page: Page) {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    void fetch("/api/events").then(async (answer) => {
      heard.push(`${answer.status}`);
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) heard.push(piece.value);
      heard.push("(closed)");
    });
  });
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard.join(""));
}

for (const access of ["signed_in", "families"] as const) {
  test.describe(`Everything that the portal sends, with the setting ${access}`, () => {
    test.use({ settings: { access } });

    test("updates, feed, sitemap, previews and live events are closed together, and open to everybody who may watch", async ({
      page,
      request,
      camp,
      somebody,
    }) => {
      const desk = await somebody();
      await staff(desk, camp);
      const film = await posted(desk, { title: "Swim relay", description: "Six bunks, one wet baton." });
      const news = await told(desk, { title: "Buses leave at 5", message: "From the lower gate." });
      const secrets = /Buses leave|lower gate|wet baton|dQw4w9WgXcQ|Camp office/;

      const refused = [
        `/api/videos/${film.id}`,
        `/api/videos/${film.id}/comments`,
        "/api/live-updates",
        `/api/live-updates/${news.id}`,
      ];
      const told401 = async () => {
        for (const address of refused) {
          const answer = await request.get(address);
          expect(answer.status(), address).toBe(401);
          expect((await answer.json()) as object, address).toMatchObject({ code: "sign_in_required" });
        }
      };
      await told401();
      for (const address of [
        "/feed.xml",
        "/sitemap.xml",
        "/",
        "/updates",
        `/updates/${news.id}`,
        `/video/${film.id}`,
        "/api/videos?collection=home",
        "/api/site",
      ]) {
        expect(await (await request.get(address)).text(), address).not.toMatch(secrets);
      }
      expect(await (await request.get("/feed.xml")).text()).not.toContain("<entry>");
      expect(await (await request.get("/sitemap.xml")).text()).not.toMatch(/\/video\/|\/updates/);

      await page.goto("/about");
      const overheard = await overhear(page);
      await expect.poll(overheard).toContain("hello");
      await told(desk, { title: "Buses leave at 6" });
      await call(
        desk.request,
        "DELETE",
        `/api/admin/live-updates/${(await told(desk, { title: "Buses leave at 7" })).id}`,
      );
      await pause(1_000);
      expect(await overheard(), "a line on which nothing is said").not.toMatch(/update\.|Buses/);

      const received = listen(page);
      for (const address of ["/", "/updates", `/updates/${news.id}`]) {
        await page.goto(address);
        await expect(page.getByRole("main").getByRole("link", { name: "Sign In", exact: true })).toBeVisible();
      }
      const open = [
        ["/about", /^About /],
        ["/faq", "Frequently Asked Questions"],
        ["/contact", "Contact Us"],
        ["/store", "Camp Store"],
        ["/privacy", "Privacy Policy"],
        ["/terms", "Terms of Service"],
      ] as const;
      for (const [address, heading] of access === "families" ? open : []) {
        await page.goto(address);
        await expect(page.getByRole("heading", { name: heading, level: 1 }), address).toBeVisible();
      }
      expect(await received()).not.toMatch(secrets);

      await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
      if (access === "families") {
        for (const address of refused.filter((path) => path.startsWith("/api"))) {
          const answer = await page.request.get(address);
          expect(answer.status(), address).toBe(403);
          expect((await answer.json()) as object, address).toMatchObject({ code: "awaiting_approval" });
        }
        const {
          items: [family],
        } = await call<{ items: { id: string }[] }>(desk.request, "GET", "/api/admin/users?filter=to_approve");
        await call(desk.request, "POST", `/api/admin/users/${family!.id}/approve`);
      }
      await page.goto(`/updates/${news.id}`);
      await expect(page.getByText("From the lower gate.")).toBeVisible();
      const heard = await overhear(page);
      await expect.poll(heard).toContain("hello");
      await told(desk, { title: "The second bus" });
      await expect.poll(heard).toContain("The second bus");

      if (access === "families") return;
      await test.step("they close again after signing out, on a quiet machine within five seconds", async () => {
        await call(page.request, "POST", "/api/auth/sign-out");
        await expect.poll(heard).toContain("(closed)");
        await told(desk, { title: "The third bus" });
        await pause(1_000);
        expect(await heard()).not.toContain("The third bus");
      });
      await told401();
    });
  });
}

test.describe("When people must be signed in to watch", () => {
  test.use({ settings: { access: "signed_in" } });

  test("signing in at the gate leads back to the video", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    const video = await posted(desk, { title: "Swim relay" });
    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await page.context().clearCookies();
    await page.goto(`/video/${video.id}`);
    await expect(page.getByRole("heading", { name: "Please sign in to watch" })).toBeVisible();
    await isSound(page, "the gate before a video");
    await page.goto("/");
    await expect(page.getByText("Sign in to watch").first()).toBeVisible();
    await isSound(page, "Home behind the gate");
    await page.goto(`/video/${video.id}`);
    await page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await signIn(page, "chaya@family.example");
    await expect(page.getByRole("button", { name: "Play Swim relay" })).toBeVisible();
  });
});
