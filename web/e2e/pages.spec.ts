import { call, demoTest, expect, samplePassword, staff, test } from "./support/camp";
import type { Locator, Page } from "@playwright/test";

type Entry = { slug: string; question: string; answer: string };
type Product = { title: string; price: number; images: unknown[] };

const opened = (page: Page) => page.locator("details[name=faq][open]");

demoTest.describe("Questions and answers", () => {
  demoTest(
    "one answer is open at a time, has an address of its own, and all ten topics are there",
    async ({ page, request }) => {
      const { items } = await call<{ items: Entry[] }>(request, "GET", "/api/faq");
      await page.goto("/faq");
      await expect(page.getByRole("heading", { name: "Frequently Asked Questions" })).toBeVisible();
      await expect(page.locator("details[name=faq]")).toHaveCount(items.length);
      expect(items.map(({ slug }) => slug).toSorted()).toEqual([
        "access",
        "comments",
        "downloads",
        "live-streaming",
        "multiple-children",
        "notifications",
        "privacy",
        "quality",
        "technical",
        "videos",
      ]);
      await expect(opened(page)).toHaveCount(0);
      for (const { slug, question } of items.slice(0, 3)) {
        await page.getByRole("heading", { name: question }).click();
        await expect(opened(page)).toHaveCount(1);
        await expect(opened(page).getByRole("heading")).toHaveText(question);
        await expect(page).toHaveURL(new RegExp(`#${slug}$`));
      }
      await page.getByRole("heading", { name: items[2]!.question }).click();
      await expect(opened(page)).toHaveCount(0);

      await page.goto("/about");
      await page.goto("/faq#downloads");
      await expect(opened(page).getByRole("heading")).toHaveText(
        items.find(({ slug }) => slug === "downloads")!.question,
      );
      await expect(opened(page)).toBeInViewport();
      const still = page.getByRole("region", { name: "Still Have Questions?" });
      await expect(still.getByRole("link", { name: /@/ })).toHaveAttribute("href", /^mailto:/);
      await still.getByRole("link", { name: "Contact Support" }).click();
      await expect(page.getByRole("heading", { name: "Contact Us" })).toBeVisible();
    },
  );
});

test("answers say what the settings say, also after staff have changed them", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp, "miriam", "owner");
  await page.goto("/faq#access");
  await expect(opened(page)).toContainText("Anyone who has the address of this site can watch the videos");
  await call(desk.request, "PATCH", "/api/admin/settings", { access: "families", contactEmail: "office@pine.example" });
  await page.reload();
  await expect(opened(page)).toContainText(
    "Only registered parents and authorized family members can watch the videos",
  );
  await expect(page.getByRole("region", { name: "Still Have Questions?" })).toContainText("office@pine.example");
});

demoTest.describe("Who we are", () => {
  demoTest("the story is in Yiddish and runs from right to left, and the cards have links", async ({ page }) => {
    await page.goto("/about");
    const story = page.getByRole("main").locator("[lang=yi]");
    await expect(story).toHaveCSS("direction", "rtl");
    expect((await story.innerText()).match(/[\u05d0-\u05ea]/g)!.length, "a story, not a line").toBeGreaterThan(500);
    const offers = page.getByRole("region", { name: "What We Offer" });
    await expect(offers.getByRole("heading", { level: 3 })).toHaveText([
      "Daily Videos",
      "Live Updates",
      "Community",
      "Complete Archive",
    ]);
    for (const [link, heading] of [
      ["Watch this year", "This Year Videos"],
      ["Read the updates", "Live Updates"],
      ["How it works", "Frequently Asked Questions"],
      ["Open the Gallery", "Gallery"],
    ] as const) {
      await offers.getByRole("link", { name: link }).click();
      await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
      await page.goBack();
    }
  });

  demoTest("the legal pages say when they were written and whom to ask", async ({ page, request }) => {
    const site = await call<{ contact_email: string; contact_phone: string; today: string }>(
      request,
      "GET",
      "/api/site",
    );
    for (const [link, title] of [
      ["Privacy Policy", "Privacy Policy"],
      ["Terms of Service", "Terms of Service"],
    ] as const) {
      await page.goto("/");
      await page.getByRole("contentinfo").getByRole("link", { name: link }).click();
      const main = page.getByRole("main");
      await expect(main.getByRole("heading", { name: title, level: 1 })).toBeVisible();
      await expect(main.getByText("Last updated:")).toBeVisible();
      const written = await main.locator("header time").getAttribute("datetime");
      expect(written).toMatch(/^2026-\d\d-\d\d$/);
      for (const words of [site.contact_email, site.contact_phone])
        await expect(main.getByText(words).first()).toBeVisible();
      const chapters = page.getByRole("navigation", { name: "On this page" }).getByRole("link");
      await chapters.last().click();
      await expect(main.getByRole("heading", { name: await chapters.last().innerText() })).toBeInViewport();
    }
  });
});

demoTest.describe("The store", () => {
  demoTest(
    "a product is ordered by writing to the camp, its name already in the subject",
    async ({ page, request }) => {
      const { items } = await call<{ items: Product[] }>(request, "GET", "/api/store");
      const product = items.find(({ title }) => /^[\w ]+$/.test(title)) ?? items[0]!;
      await page.goto("/store");
      await expect(page.getByRole("main").getByRole("article")).toHaveCount(items.length);
      await expect(page.locator("iframe")).toHaveCount(0);
      const card = page
        .getByRole("article")
        .filter({ has: page.getByRole("heading", { name: product.title, exact: true }) });
      await expect(card).toContainText(`$${Math.floor(product.price / 100)}`);
      await card.getByRole("link", { name: /Contact us to order/i }).click();
      await expect(page.getByLabel("Subject")).toHaveValue(new RegExp(product.title));
      await expect(page.getByRole("radio", { name: "Camp staff" })).toBeChecked();
    },
  );
});

test.describe("The embedded shop", () => {
  test.use({ settings: { shopUrl: "https://shop.example/camp" } });

  test("has its own frame, resizes as it asks, and leads nowhere else", async ({ page }) => {
    await page.route("https://shop.example/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><title>Shop</title><h1>Camp shirts</h1><script>
        parent.postMessage({ type: "height", height: 1500 }, "*");
        addEventListener("message", ({ data }) => (document.title = JSON.stringify(data)));
        setTimeout(() => parent.postMessage({ type: "navigate", url: "https://evil.example/" }, "*"), 100);
      </script>`,
      }),
    );
    await page.goto("/store");
    const frame = page.frameLocator("iframe[title='Camp shop']");
    await expect(frame.getByRole("heading", { name: "Camp shirts" })).toBeVisible();
    await expect(page.locator("iframe")).toHaveCSS("height", "1500px");
    await expect(page.locator("iframe")).toHaveAttribute("sandbox", /allow-scripts/);
    await expect(page.locator("iframe")).not.toHaveAttribute("sandbox", /allow-top-navigation/);
    expect((await page.locator("iframe").boundingBox())!.width).toBeLessThanOrEqual(1040);
    await page.mouse.wheel(0, 500);
    await expect.poll(() => page.frames()[1]!.title()).toContain("scroll");
    await page.evaluate(() => postMessage({ type: "height", height: 600 }, "*"));
    await expect(page.locator("iframe")).toHaveCSS("height", "1500px");
    await expect(page).toHaveURL(/\/store$/);
    expect(
      await page.evaluate(() =>
        [...document.scripts].every(({ src }) => !src || new URL(src).origin === location.origin),
      ),
    ).toBe(true);

    const leaves = page.waitForURL("https://shop.example/cart");
    await page
      .frames()[1]!
      .evaluate(() => parent.postMessage({ type: "navigate", url: "https://shop.example/cart" }, "*"));
    await leaves;
  });
});

test("a browser without scripts is told what it needs, and how to reach the camp", async ({ camp, somebody }) => {
  camp.run(["settings", "set", "contactEmail", "office@camp.example"]);
  const page = await somebody({ javaScriptEnabled: false });
  for (const path of ["/", "/contact", "/admin/login"]) {
    await page.goto(path);
    // Playwright finds no text inside this element.
    const words = page.locator("noscript p");
    await expect(words, path).toBeInViewport();
    await expect(words, path).toContainText("need JavaScript");
    await expect(words.locator("a"), path).toHaveAttribute("href", "mailto:office@camp.example");
  }
});

demoTest("switches and choices show their state when the device overrides the colors", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await call(page.request, "POST", "/api/auth/sign-in", {
    email: "leah.lindenfeld@family.example",
    password: samplePassword,
  });
  await page.goto("/profile");
  const daily = page.getByRole("switch", { name: "Daily videos" });
  const [on, off] = [daily, page.getByRole("switch", { name: "All in one email a day" })];
  await expect(on).toBeChecked();
  await expect(off).not.toBeChecked();
  const colors = (one: Locator) =>
    one.evaluate((input) =>
      [undefined, "::after"].map((part) => getComputedStyle(input.nextElementSibling!, part).backgroundColor),
    );
  const [[track, knob], [emptyTrack, emptyKnob]] = [await colors(on), await colors(off)];
  expect(track).not.toBe(emptyTrack);
  expect(knob).not.toBe(track);
  expect(emptyKnob).not.toBe(emptyTrack);

  await page.goto("/current-videos");
  const outline = (name: string) =>
    page.getByRole("button", { name }).evaluate((button) => getComputedStyle(button).outlineStyle);
  await expect(page.getByRole("button", { name: "Newest First" })).toHaveAttribute("aria-pressed", "true");
  await expect
    .poll(async () => [await outline("Newest First"), await outline("Most Popular")])
    .toEqual(["solid", "none"]);
});

/** The English words in headings and buttons that do not fit on a line and break. */
function brokenWords(): string[] {
  const lines = (range: Range) => new Set([...range.getClientRects()].map(({ top }) => top)).size;
  const texts = [...document.querySelectorAll("h1, h2, h3, main :is(button, a.justify-center)")].flatMap((heading) =>
    heading.checkVisibility() ? [...heading.childNodes].filter((node) => node instanceof Text) : [],
  );
  return texts.flatMap((text) =>
    [...text.data.matchAll(/[a-z’]{2,15}/gi)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return lines(range) > 1 ? [word] : [];
    }),
  );
}

/** WCAG 1.4.4: with text twice as large, everything is still there and the page does not scroll sideways. */
async function fitsWithLargeText(page: Page, path: string) {
  await page.addInitScript(() =>
    addEventListener("DOMContentLoaded", () => {
      document.documentElement.style.fontSize = "200%";
    }),
  );
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(path);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await page.waitForLoadState("networkidle").catch(() => undefined);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(width);
    expect(await page.evaluate(brokenWords), path).toEqual([]);
    expect((await page.getByRole("banner").boundingBox())!.height, "the header leaves room").toBeLessThan(160);
  }
}

/** Asserts that an open dialog does not scroll sideways on the narrowest phone with text twice as large. */
async function dialogFits(page: Page, open: Locator) {
  await page.setViewportSize({ width: 320, height: 640 });
  await open.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  for (const room of [dialog, ...(await dialog.locator("> *").all())]) {
    const [needs, has] = await room.evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(needs, await room.evaluate((element) => element.outerHTML.slice(0, 200))).toBeLessThanOrEqual(has!);
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

demoTest("a video and the profile fit a phone with text twice as large", async ({ page }) => {
  await call(page.request, "POST", "/api/auth/sign-in", {
    email: "leah.lindenfeld@family.example",
    password: samplePassword,
  });
  for (const collection of ["current", "archive"]) {
    const { items } = await call<{ items: { id: string }[] }>(
      page.request,
      "GET",
      `/api/videos?collection=${collection}&limit=2`,
    );
    await fitsWithLargeText(page, `/video/${items[1]!.id}`);
  }
  await dialogFits(page, page.getByRole("button", { name: "Open menu" }));
  await fitsWithLargeText(page, "/profile");
  for (const name of ["Change your email", "Change password", "Delete my account", "Sign Out Everywhere"])
    await dialogFits(page, page.getByRole("main").getByRole("button", { name }));
  await fitsWithLargeText(page, "/");
});

for (const path of [
  "/",
  "/current-videos",
  "/past-videos",
  "/faq",
  "/store",
  "/contact",
  "/updates",
  "/about",
  "/auth",
]) {
  demoTest(`${path} fits a phone with text twice as large`, async ({ page }) => {
    await fitsWithLargeText(page, path);
    if (path !== "/") return;
    const [text, art] = await Promise.all(
      [".hero-text", ".hero-art"].map((name) => page.locator(name).first().boundingBox()),
    );
    expect(text!.y + text!.height, "the text of the hero is on its picture").toBeLessThanOrEqual(art!.y + art!.height);
  });
}
