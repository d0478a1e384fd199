import { call, campName, demoTest as test, expect, test as ownTest, posted, staff } from "./support/camp";

type Card = { id: string; title: string; thumbnail_url: string | null; year: number };

test.describe("Searching", () => {
  ownTest("a grandmother finds a video however its Yiddish title was typed", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    // Titles with vowel points and a ligature, without either, and with quotation marks.
    await posted(desk, { title: "קאָלער װאַר, דער ערשטער טאָג" });
    await posted(desk, { title: "Color War breaks out · קאלער וואר" });
    await posted(desk, { title: "ל״ג בעומר אין וואלד" });
    await page.goto("/current-videos");
    const box = page.getByRole("searchbox", { name: "Search videos" });
    const found = page.getByRole("main").getByRole("article");
    await expect(found).toHaveCount(3);
    const searches: [string, number][] = [
      ["קאלער וואר", 2],
      ["קאָלער װאַר", 2],
      ["קאָלער וואַר", 2],
      ["  קאלער   װאר ", 2],
      ["COLOR war", 1],
      ["לג בעומר", 1],
      ['ל"ג בעומר', 1],
    ];
    for (const [typed, number] of searches) {
      await box.fill(typed);
      await expect(page).toHaveURL((url) => url.searchParams.get("q") === typed.trim());
      await expect(found, typed).toHaveCount(number);
    }
    await expect(found).toContainText("אין וואלד");
  });

  test("a search without results says so, and Clear Search brings everything back", async ({ page }) => {
    await page.goto("/current-videos");
    const box = page.getByRole("searchbox", { name: "Search videos" });
    const found = page.getByRole("main").getByRole("article");
    await expect(found.first()).toBeVisible();
    await box.fill("%");
    await expect(page.getByText('No content found matching "%"')).toBeVisible();
    await page.getByRole("button", { name: "Clear Search", exact: true }).click();
    await expect(box).toHaveValue("");
    await expect(found.nth(10)).toBeVisible();
  });

  test("the slash key leads to the search box, and Back brings the earlier list", async ({ page }) => {
    await page.goto("/past-videos");
    await expect(page.getByRole("heading", { name: /^Summer/ }).first()).toBeVisible();
    // The HTML shows the page before the scripts that listen for the key have loaded, so the test repeats the key.
    await expect(async () => {
      await page.keyboard.press("/");
      await expect(page.getByRole("searchbox", { name: "Search videos" })).toBeFocused({ timeout: 500 });
    }).toPass();
    await page.keyboard.type("grand");
    await expect(page.getByRole("heading", { name: /^Search Results \(\d+\+?\)/ })).toBeVisible();
    // After a pause, typing continues where it stopped.
    await expect(page.getByRole("searchbox", { name: "Search videos" })).toBeFocused();
    await page.keyboard.type(" siyum");
    await expect(page).toHaveURL(/q=grand\+siyum$/);
    await expect(page.getByRole("searchbox", { name: "Search videos" })).toBeFocused();
    await page.getByRole("article").first().getByRole("link").click();
    await expect(page.getByRole("region", { name: "Comments" })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole("searchbox", { name: "Search videos" })).toHaveValue("grand siyum");
    await expect(page.getByRole("heading", { name: /^Search Results/ })).toBeVisible();
  });

  test("the most popular videos come first when asked for", async ({ page }) => {
    await page.goto("/current-videos");
    await page.getByRole("button", { name: "Most Popular" }).click();
    await expect(page).toHaveURL(/sort=popular/);
    const reads = async () =>
      (
        await page
          .getByRole("main")
          .getByText(/^[\d,]+ reads?$/)
          .allInnerTexts()
      ).map((text) => Number(text.replace(/\D/g, "")));
    await expect
      .poll(async () => {
        const all = await reads();
        return all.length > 5 && all.every((n, i) => i === 0 || n <= all[i - 1]!);
      })
      .toBe(true);
  });
});

test("the gallery opens summer by summer, the newest first", async ({ page, request }) => {
  const years = await call<{ items: { year: number; count: number }[] }>(request, "GET", "/api/videos/years");
  await page.goto("/past-videos");
  const newest = years.items[0]!;
  const oldest = years.items.at(-1)!;
  const summer = (year: number) =>
    page.getByRole("group").filter({ has: page.getByRole("heading", { name: `Summer ${year}` }) });
  await expect(summer(newest.year).getByRole("article")).toHaveCount(24);
  await expect(summer(oldest.year).getByRole("article")).toHaveCount(0);
  await summer(newest.year).getByRole("article").last().scrollIntoViewIfNeeded();
  await expect(summer(newest.year).getByRole("article")).toHaveCount(newest.count);
  await page.getByRole("heading", { name: `Summer ${oldest.year}` }).click();
  await summer(oldest.year).getByRole("article").last().scrollIntoViewIfNeeded();
  await expect(summer(oldest.year).getByRole("article")).toHaveCount(oldest.count);
  await expect(summer(newest.year).getByRole("article")).toHaveCount(newest.count);
  await expect(summer(oldest.year).getByText("Archive").first()).toBeVisible();
  await page.getByRole("button", { name: "All Videos" }).click();
  const all = years.items.reduce((sum, { count }) => sum + count, 0);
  await expect(page.getByRole("heading", { name: `All Gallery Videos (${all})` })).toBeVisible();
  await page.getByRole("article").last().scrollIntoViewIfNeeded();
  await expect(page.getByRole("article")).toHaveCount(124);
  await page.getByRole("button", { name: "Load more videos" }).click();
  await expect(page.getByRole("article")).toHaveCount(224);
});

test("exactly one video is called the latest, and Home shows three", async ({ page }) => {
  await page.goto("/current-videos");
  await expect(page.getByText("Latest", { exact: true })).toHaveCount(1);
  await page.goto("/");
  const section = page.getByRole("region", { name: "Latest videos" });
  await expect(section.getByRole("article")).toHaveCount(3);
  await section.getByRole("link", { name: "View All Current Videos" }).click();
  await expect(page.getByRole("heading", { name: "This Year Videos" })).toBeVisible();
  await page.goBack();
  await section.getByRole("link", { name: "Explore Video Archives" }).click();
  await expect(page.getByRole("heading", { name: "Gallery", level: 1 })).toBeVisible();
});

test("a wrong address gets a friendly page, and a 404 status for programs", async ({ page, request }) => {
  for (const [address, heading] of [
    ["/no-such-page", "404"],
    ["/no-such-page.html", "404"],
    ["/video/00000000-0000-7000-8000-000000000000", "Video not found"],
    ["/video/not-an-id", "Video not found"],
    // A link copied with the period of its sentence.
    ["/video/00000000-0000-7000-8000-000000000000.", "Video not found"],
  ] as const) {
    expect((await request.get(address)).status(), address).toBe(404);
    await page.goto(address);
    await expect(page.getByRole("heading", { name: heading })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Return to Home" }).click();
    await expect(page.getByRole("heading", { name: "Latest videos" })).toBeVisible();
  }
  await page.goto("/no-such-page");
  await expect(page.getByText("Oops! Page not found")).toBeVisible();
});

test.describe("A link sent over WhatsApp", () => {
  const tag = (html: string, name: string) => {
    const found = new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];
    return found
      ?.replaceAll("&amp;", "&")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">");
  };

  test("every page has its title, description and picture before scripts run, and keeps them right during navigation", async ({
    page,
    camp,
    request,
  }) => {
    const name = campName(await call<{ site_name: string }>(request, "GET", "/api/site"));
    const pages = [
      ["/", "Home"],
      ["/current-videos", "This Year Videos"],
      ["/past-videos", "Gallery"],
      ["/auth", "Sign In"],
      ["/no-such-page", "Page not found"],
    ] as const;
    for (const [address, title] of pages) {
      const html = await (await request.get(address)).text();
      expect(/<title>([^<]*)<\/title>/.exec(html)?.[1], address).toBe(`${title} - ${name}`);
      expect(tag(html, "og:title"), address).toBe(`${title} - ${name}`);
      expect(tag(html, "description"), address).toMatch(/\S{3}/);
      expect(tag(html, "og:description"), address).toBe(tag(html, "description"));
      expect(tag(html, "og:url"), address).toBe(camp.url + address);
      const picture = await request.get(tag(html, "og:image")!);
      expect(picture.headers()["content-type"], address).toMatch(/^image\//);
      await page.goto(address);
      await expect(page, address).toHaveTitle(`${title} - ${name}`);
    }

    await page.goto("/");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Past Videos" }).click();
    await expect(page).toHaveTitle(`Gallery - ${name}`);
    await expect(page.locator('meta[property="og:url"]')).toHaveAttribute("content", `${camp.url}/past-videos`);
  });

  test("a video's page shows its own title and picture", async ({ camp, request }) => {
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=home");
    for (const film of items) {
      const html = await (await request.get(`/video/${film.id}`)).text();
      expect(tag(html, "og:title")).toContain(film.title);
      expect(tag(html, "og:type")).toBe("video.other");
      expect(tag(html, "og:image")).toBe(`${camp.url}${film.thumbnail_url}`);
      expect(tag(html, "twitter:card")).toBe("summary_large_image");
    }
  });

  ownTest.describe("to a restricted video", () => {
    ownTest.use({ settings: { access: "families" } });
    ownTest("shows a neutral picture", async ({ camp, somebody, request }) => {
      const desk = await somebody();
      await staff(desk, camp);
      const film = await posted(desk, { title: "Campfire", description: "Who sang what" });
      const html = await (await request.get(`/video/${film.id}`)).text();
      expect(tag(html, "og:title")).toContain("Campfire");
      expect(tag(html, "og:image")).toBe(`${camp.url}/art/social.jpg`);
      expect(html).not.toContain("Who sang what");
    });
  });
});
