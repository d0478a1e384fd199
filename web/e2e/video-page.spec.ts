import { call, demoTest, expect, onYouTube, parent, posted, staff, test, toast } from "./support/camp";

test("an embedded video is only a picture until somebody presses play", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, { title: "Campfire" });
  const drive = await posted(desk, {
    title: "Boat trip",
    video_url: "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/view?usp=sharing",
  });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  for (const [id, title, player] of [
    [film.id, "Campfire", "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"],
    [drive.id, "Boat trip", "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/preview"],
  ] as const) {
    await page.goto(`/video/${id}`);
    const play = page.getByRole("button", { name: `Play ${title}` });
    await expect(play).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(asked.filter((url) => /nocookie|\/preview/.test(url))).toEqual([]);
    await expect(page.locator("iframe")).toHaveCount(0);
    await play.click();
    await expect(page.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
    expect(await page.locator("iframe").getAttribute("src")).toContain(player);
    asked.length = 0;
  }
});

test("comments appear and disappear on other open pages by themselves, with their age", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, { title: "Campfire" });
  const reader = await somebody();
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto(`/video/${film.id}`);
  await reader.goto(`/video/${film.id}`);
  const theirs = reader.getByRole("region", { name: "Comments" });
  await expect(theirs.getByText("No comments yet. Be the first to write one.")).toBeVisible();
  await expect(reader.getByPlaceholder("Please sign in to post a comment")).toBeDisabled();

  for (const words of ["First!", "שיין געזונגען"]) {
    await page.getByLabel("Your comment").fill(`  ${words}  `);
    await page.getByRole("button", { name: "Post comment" }).click();
    await expect(theirs.getByRole("listitem").first()).toContainText(words);
  }
  await expect(theirs.getByRole("listitem")).toHaveCount(2);
  await expect(theirs.getByRole("listitem").first()).toContainText("Chaya Feder");
  await expect(theirs.getByRole("listitem").first()).toContainText("Just now");
  await expect(reader.getByText("2 comments", { exact: true })).toBeVisible();

  await page
    .getByRole("listitem")
    .filter({ hasText: "First!" })
    .getByRole("button", { name: "Delete comment by Chaya Feder" })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete comment" }).click();
  await expect(theirs.getByRole("listitem")).toHaveCount(1);
  await expect(reader.getByText("1 comment", { exact: true })).toBeVisible();

  await theirs.getByRole("button", { name: "Report comment by Chaya Feder" }).click();
  const dialog = reader.getByRole("dialog", { name: "Report this comment?" });
  await expect(dialog).toContainText("שיין געזונגען");
  await dialog.getByRole("radio", { name: "It is too private" }).check();
  await dialog.getByRole("button", { name: "Report comment" }).click();
  await expect(toast(reader)).toContainText("Comment reported");

  const age = theirs.getByRole("listitem").first().locator("time");
  const now = Date.parse((await age.getAttribute("datetime"))!);
  for (const [minutes, words] of [
    [1.5, "1 minute ago"],
    [60, "1 hour ago"],
    [26 * 60, "1 day ago"],
    [6.5 * 24 * 60, "6 days ago"],
  ] as const) {
    await reader.clock.setFixedTime(now + minutes * 60_000);
    await reader.reload();
    await expect(age).toHaveText(words);
  }
  await reader.clock.setFixedTime(now + 8 * 24 * 60 * 60_000);
  await reader.reload();
  await expect(age).toHaveText(/^[A-Z][a-z]+ \d+, \d{4}$/);
});

test("a like belongs to one person, makes the video a favorite, and is undone just as easily", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, { title: "Campfire" });
  const other = await somebody();
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto(`/video/${film.id}`);
  await page.getByRole("button", { name: "0 Like" }).click();
  await expect(toast(page)).toContainText("Added to favorites!");
  await other.goto(`/video/${film.id}`);
  await expect(other.getByRole("button", { name: "1 Like" })).toBeVisible();
  await page.goto("/profile");
  await expect(page.getByRole("region", { name: "Favorites" }).getByRole("link", { name: "Campfire" })).toBeVisible();
  await page.goto(`/video/${film.id}`);
  await page.getByRole("button", { name: "1 Liked" }).click();
  await expect(toast(page)).toContainText("Removed from favorites");
  await page.goto("/profile");
  await expect(page.getByText("No favorites yet")).toBeVisible();
  await other.getByRole("button", { name: "1 Like" }).click();
  await expect(other.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
});

demoTest.describe("In the sample camp", () => {
  type Card = { id: string; title: string };

  demoTest("the videos of a summer lead on to each other, and back to all of them", async ({ page, request }) => {
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    await page.goto(`/video/${items[0]!.id}`);
    const neighbors = page.getByRole("navigation", { name: "More videos" });
    await expect(neighbors.getByRole("link")).toHaveCount(1);
    for (const film of items.slice(1, 3)) {
      await neighbors.getByRole("link", { name: "Previous video" }).click();
      await expect(page).toHaveURL(new RegExp(film.id));
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    }
    await neighbors.getByRole("link", { name: "Next video" }).click();
    await expect(page).toHaveURL(new RegExp(items[1]!.id));
    await expect(page.getByRole("region", { name: "More from this summer" }).getByRole("article")).toHaveCount(4);
    await page.getByRole("link", { name: "Back to Videos" }).first().click();
    await expect(page.getByRole("region", { name: "Latest videos" })).toBeVisible();
  });

  demoTest(
    "copying is confirmed for two seconds, and says when the browser forbids it",
    async ({ page, request, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
      await page.clock.install();
      await page.goto(`/video/${items[0]!.id}`);
      await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByRole("button", { name: "Copy link" }).click();
      await expect(toast(page)).toContainText("Link copied!");
      await expect(toast(page)).toContainText("Video link copied to clipboard.");
      await page.clock.runFor(1_900);
      await expect(page.getByRole("button", { name: "Copied!" })).toBeVisible();
      await page.clock.runFor(200);
      await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible();
      await page.evaluate(() =>
        Object.defineProperty(navigator.clipboard, "writeText", { value: () => Promise.reject(new Error("No")) }),
      );
      await page.getByRole("button", { name: "Copy link" }).click();
      await expect(toast(page)).toContainText("Copy failed");
      await expect(toast(page)).toContainText("Please copy the link manually.");
      await expect(page.getByRole("button", { name: "Copied!" })).toBeHidden();
    },
  );

  demoTest("the share menu never widens the page of a phone", async ({ request, somebody }) => {
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    for (const width of [320, 360, 390]) {
      const phone = await somebody({
        viewport: { width, height: 844 },
        reducedMotion: "no-preference",
      });
      await phone.goto(`/video/${items[0]!.id}`);
      await expect(phone.getByRole("link", { name: "Back to Videos" })).toBeInViewport();
      await phone.getByRole("button", { name: "Share" }).click();
      await expect(phone.getByRole("link", { name: "WhatsApp" })).toBeInViewport({ ratio: 1 });
      expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });

  demoTest("a phone offers its own ways to share", async ({ request, somebody }) => {
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    const phone = await somebody({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await phone.addInitScript(() => {
      Object.assign(navigator, { share: (what: object) => Promise.resolve(Object.assign(window, { shared: what })) });
    });
    await phone.goto(`/video/${items[0]!.id}`);
    await phone.getByRole("button", { name: "Share" }).tap();
    await phone.getByRole("button", { name: "Other apps" }).tap();
    await expect
      .poll(() => phone.evaluate(() => (window as unknown as { shared?: object }).shared))
      .toEqual({
        title: items[0]!.title,
        text: `Check out this camp video: ${items[0]!.title}`,
        url: phone.url(),
      });
    await expect(phone.getByRole("button", { name: "Other apps" })).toBeHidden();
  });
});

test("the link to a video that staff took down says so", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, { title: "Campfire", video_url: onYouTube().link });
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Campfire" }).first()).toBeVisible();
  await call(desk.request, "DELETE", `/api/admin/videos/${film.id}`);
  await expect(page.getByText("No videos available yet. Check back soon!")).toBeVisible();
  await page.goto(`/video/${film.id}`);
  await expect(page.getByRole("heading", { name: "Video not found" })).toBeVisible();
  await page.getByRole("link", { name: "Return to Home" }).click();
  await expect(page.getByRole("region", { name: "Latest videos" })).toBeVisible();
});
