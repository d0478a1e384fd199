import { expect, onYouTube, test } from "./support/camp";
import type { Portal } from "./support/portal";
import type { Page } from "@playwright/test";

const summers = 20;
const videos = 60;
/** How many videos a list starts with. */
const first = 24;
const newest = new Date().getFullYear() - 1;
const oldest = newest - summers + 1;

/** A camp with an imported archive. */
function bringIn(camp: Portal) {
  for (let year = oldest; year <= newest; year++) {
    const rows = Array.from({ length: videos }, (_, n) => {
      const date = new Date(Date.UTC(year, 6, 1 + n)).toISOString().slice(0, 10);
      const id = `${year}x${String(n).padStart(6, "0")}`;
      return `Night ${n + 1} of ${year},${onYouTube(id).link},${date}`;
    });
    camp.run(["gallery", "import", "--year", String(year), "-"], ["title,url,date", ...rows].join("\n"));
  }
}

/** The requests that the page has sent since it was opened. */
function asked(page: Page) {
  const lists: string[] = [];
  const pictures: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname === "/api/videos" || url.pathname === "/api/videos/years") lists.push(url.pathname + url.search);
    if (url.hostname === "i.ytimg.com") pictures.push(url.href);
  });
  return { lists, pictures };
}

test("twenty summers of sixty videos are as light as one: each is fetched when it is first opened", async ({
  page,
  camp,
}) => {
  bringIn(camp);
  const summer = (year: number) =>
    page.getByRole("group").filter({ has: page.getByRole("heading", { name: `Summer ${year}` }) });
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  // The portal tells open pages about an import a moment after it happens. This visit waits for that.
  await page.goto("/past-videos");
  await expect(page.getByRole("heading", { name: /^Summer \d+$/ })).toHaveCount(summers);
  await page.waitForLoadState("networkidle");
  const { lists, pictures } = asked(page);
  const of = (year: number) => lists.filter((list) => list.includes(`year=${year}`));

  await page.goto("/past-videos");
  await expect(summer(newest).getByRole("article")).toHaveCount(first);
  await expect(page.getByRole("heading", { name: /^Summer \d+$/ })).toHaveCount(summers);
  await expect(summer(newest)).toContainText("60 videos");
  await page.waitForLoadState("networkidle");
  expect(lists, "the HTML brings the years and the newest summer").toEqual([]);
  expect(pictures.length, "pictures below the fold wait").toBeLessThan(first);
  await summer(newest).getByRole("article").last().scrollIntoViewIfNeeded();
  await expect(summer(newest).getByRole("article"), "the rest comes on the way down").toHaveCount(videos);
  expect(lists).toHaveLength(1);
  const light = await elements();
  const perVideo =
    (light - (await page.evaluate(() => document.querySelectorAll("body > :not(#root), head *").length))) / videos;
  expect(light, "nothing of the closed summers is on the page").toBeLessThan(videos * 45);

  await summer(oldest).getByRole("heading", { level: 2 }).click();
  await expect(summer(oldest).getByRole("article")).toHaveCount(first);
  await expect(summer(oldest).getByRole("article").first()).toContainText(`Night 60 of ${oldest}`);
  await expect(summer(newest).getByRole("article").first(), "several may be open").toBeVisible();
  expect(of(oldest)).toHaveLength(1);
  await summer(oldest).getByRole("article").last().scrollIntoViewIfNeeded();
  await expect(summer(oldest).getByRole("article")).toHaveCount(videos);
  expect(of(oldest)).toHaveLength(2);
  expect((await elements()) - light).toBeLessThan(perVideo * videos * 1.5);

  await summer(oldest).getByRole("heading", { level: 2 }).click();
  await expect(summer(oldest).getByRole("article").first()).toBeHidden();
  await summer(oldest).getByRole("heading", { level: 2 }).click();
  await expect(summer(oldest).getByRole("article").first()).toBeVisible();
  expect(of(oldest), "and not a second time").toHaveLength(2);

  await test.step("Taps that are faster than a slow phone can render all count", async () => {
    const phone = await page.context().newCDPSession(page);
    await phone.send("Emulation.setCPUThrottlingRate", { rate: 12 });
    const taps = (...years: number[]) =>
      page.evaluate(
        async (headings) => {
          for (const heading of headings) {
            [...document.querySelectorAll("summary")].find((summary) => summary.textContent.includes(heading))!.click();
            // Waits until the browser reports that the summer opened or closed.
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          }
        },
        years.map((year) => `Summer ${year}`),
      );
    const open = () => page.locator("details[open]").getByRole("heading", { level: 2 });
    await taps(oldest, newest, oldest);
    await expect(open()).toHaveText(`Summer ${oldest}`);
    await expect(page).toHaveURL(new RegExp(`open=${oldest}$`));
    await taps(newest, newest, newest);
    await phone.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    await phone.detach();
    await expect(page).toHaveURL(new RegExp(`open=${oldest}%2C${newest}$`));
    await expect(open()).toHaveText([`Summer ${newest}`, `Summer ${oldest}`]);
  });

  await test.step("Back from a video finds the summers as they were", async () => {
    await summer(newest).getByRole("heading", { level: 2 }).click();
    await expect(summer(newest).getByRole("article").first()).toBeHidden();
    const film = summer(oldest).getByRole("link", { name: `Night 5 of ${oldest}` });
    // Cards that were never near the viewport have an estimated height, so Back returns to the place within one row.
    await film.evaluate((link) => link.scrollIntoView({ block: "center" }));
    await expect(film).toBeInViewport();
    await film.click();
    await expect(page.getByRole("heading", { name: `Night 5 of ${oldest}`, level: 1 })).toBeVisible();
    await page.goBack();
    await expect(film).toBeInViewport();
    await expect(summer(newest).getByRole("article").first()).toBeHidden();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Past Videos" }).click();
    await expect(summer(newest).getByRole("article").first()).toBeVisible();
    await expect(summer(oldest).getByRole("article")).toHaveCount(0);
  });

  await test.step("all videos load in parts", async () => {
    await page.getByRole("button", { name: "All Videos" }).click();
    await expect(page).toHaveURL(/view=all/);
    await expect(page.getByRole("heading", { name: "All Gallery Videos (1,200)" })).toBeVisible();
    const parts = () => lists.filter((list) => /^\/api\/videos\?(?!.*year=)/.test(list) && list.includes("archive"));
    await expect(page.getByRole("article")).toHaveCount(first);
    expect(parts()).toHaveLength(1);
    await page.getByRole("article").last().scrollIntoViewIfNeeded();
    await expect(page.getByRole("article")).toHaveCount(first + 100);
    await page.getByRole("button", { name: "Load more videos" }).scrollIntoViewIfNeeded();
    await expect(page.getByRole("button", { name: "Load more videos" }), "the rest only when asked for").toBeEnabled();
    expect(parts()).toHaveLength(2);
  });

  await test.step("a search covers all of them", async () => {
    const box = page.getByRole("searchbox", { name: "Search videos" });
    await box.fill("night 7 of");
    await expect(page.getByRole("heading", { name: "Search Results (20)" })).toBeVisible();
    await expect(page.getByRole("article")).toHaveCount(summers);
    await box.fill("Visiting Day");
    await expect(page.getByText('No videos found matching "Visiting Day"')).toBeVisible();
    await page.getByRole("main").getByRole("button", { name: "Clear Search", exact: true }).click();
    await expect(page.getByRole("heading", { name: "All Gallery Videos (1,200)" })).toBeVisible();
    await page.getByRole("button", { name: "By Year" }).click();
    await expect(summer(newest).getByRole("article")).toHaveCount(videos);
  });
});

test("an empty archive says so, and so does a year without videos", async ({ page }) => {
  await page.goto("/past-videos");
  await expect(page.getByText("No archived videos available yet")).toBeVisible();
  await page.getByRole("link", { name: "View All Current Videos" }).click();
  await expect(page.getByText("No videos uploaded for this year yet")).toBeVisible();
  await page.getByRole("link", { name: "Go to the Gallery" }).click();
  await expect(page.getByRole("heading", { name: "Gallery", level: 1 })).toBeVisible();
});
