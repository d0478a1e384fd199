import type { Page, Route } from "@playwright/test";
import type { VideoCard } from "../src/api/client";
import { account, demoTest as test, expect, hold, samplePassword, test as ofOneCamp } from "./support/camp";

declare global {
  interface Window {
    asked: string[];
    first: Element | null;
    moved: string[];
  }
}

for (const [path, shown] of [
  ["/", ".hero-card h2"],
  ["/current-videos", "main article"],
  ["/past-videos", "main article"],
  ["/faq", "main details"],
  ["/store", "main li img"],
] as const) {
  test(`${path} shows the content of its HTML while the API does not answer`, async ({ page }) => {
    await page.route(/\/api\/(videos|faq|store)/, () => undefined);
    const html = await (await page.goto(path))!.text();
    await expect(page.locator(shown).first()).toBeVisible();
    for (const [, address] of html.matchAll(/data-answer="([^"]+)"/g))
      expect(html).not.toContain(`crossorigin href="${address}"`);
  });
}

for (const path of ["/", "/current-videos", "/past-videos", "/faq", "/auth", "/admin/login"]) {
  test(`the first paint of ${path} waits for nothing but its HTML and the chosen theme`, async ({ page, camp }) => {
    await page.goto(path);
    await expect(page.getByRole("main")).toBeVisible();
    const waitedFor = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as (PerformanceResourceTiming & { renderBlockingStatus: string })[])
        .filter((entry) => entry.renderBlockingStatus === "blocking")
        .map((entry) => entry.name),
    );
    expect(waitedFor).toEqual([`${camp.url}/start.js`]);
  });
}

for (const path of ["/", "/current-videos", "/past-videos", "/auth"]) {
  test(`${path} has a picture before any script`, async ({ browser, camp }) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
      baseURL: camp.url,
    });
    const page = await context.newPage();
    await page.goto(path);
    const picture = page.locator("main img").first();
    await expect(picture).toBeVisible();
    await expect.poll(() => picture.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBeGreaterThan(0);

    // The style sheet in the HTML contains only the classes of the shells.
    const unknown = await page.evaluate(() => {
      const sheet = [...document.querySelectorAll("style")].map(({ textContent }) => textContent).join("");
      const classes = [...document.querySelectorAll("#root [class]")].flatMap((element) => [...element.classList]);
      return classes.filter((name) => !sheet.includes(`.${CSS.escape(name)}`));
    });
    expect(unknown).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    if (path === "/auth") await expect(picture).toBeHidden();
    await context.close();
  });
}

// What the HTML shows is not drawn a second time: React takes over its elements.
for (const path of [
  "/",
  "/current-videos",
  "/past-videos?q=lake",
  "/about",
  "/faq/",
  "/contact",
  "/store",
  "/privacy",
  "/terms",
  "/updates",
  "/auth?mode=create",
  "/auth/forgot",
  "/no-such-page",
]) {
  test(`${path} keeps what its HTML shows`, async ({ page }) => {
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    await page.addInitScript(() =>
      addEventListener("DOMContentLoaded", () => {
        window.first = document.querySelector("#root > header");
      }),
    );
    await page.goto(path);
    await expect(page.getByRole("contentinfo")).toBeVisible();
    await expect(page.getByRole("banner").getByRole("link", { name: "Sign In" })).toBeVisible();
    expect(await page.evaluate(() => window.first === document.querySelector("header"))).toBe(true);
    expect(problems.filter((text) => /react|hydrat/i.test(text))).toEqual([]);
  });
}

ofOneCamp.describe("a camp with special characters in its name", () => {
  ofOneCamp.use({ settings: { siteName: 'Sons & <b>"Lake"</b> [[picture]] · קעמפ' } });
  ofOneCamp("keeps its name", async ({ page }) => {
    for (const path of ["/", "/about", "/past-videos"]) {
      await page.goto(path);
      await expect(page.getByRole("contentinfo")).toBeVisible();
      await expect(page.getByRole("banner")).toContainText('Sons & <b>"Lake"</b> [[picture]]קעמפ');
    }
  });
});

/**
 * Records every URL that the page's scripts fetch, and returns every URL that the page requests from now on, both
 * without the site's origin.
 */
async function watchRequests(page: Page) {
  await page.addInitScript(() => {
    window.asked = [];
    const { fetch } = window;
    window.fetch = (what, how) => {
      const url = new URL(what instanceof Request ? what.url : String(what), location.href);
      window.asked.push(url.pathname + url.search);
      return fetch(what, how);
    };
  });
  const requests: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    requests.push(url.pathname + url.search);
  });
  return requests;
}

/** Asserts that the page fetches exactly the URLs that the HTML preloads. Events may cause a second request. */
async function expectAskedOnce(page: Page, requests: string[], ahead: string[]) {
  for (const address of ahead) {
    await expect.poll(() => page.evaluate(() => window.asked), "what the page asked for").toContain(address);
    await expect
      .poll(async () => {
        const asked = await page.evaluate((one) => window.asked.filter((url) => url === one).length, address);
        return requests.filter((one) => one === address).length - asked;
      }, address)
      .toBe(0);
  }
}

// A preload in the HTML is wasted unless the page requests exactly the same URL.
for (const path of ["/", "/current-videos", "/past-videos", "/faq", "/store", "/updates", "/about"]) {
  test(`${path} uses what its HTML preloads, and requests nothing twice`, async ({ page }) => {
    const requests = await watchRequests(page);
    const html = await (await page.goto(path))!.text();
    await expect(page.getByRole("contentinfo")).toBeVisible();
    await page.waitForLoadState("networkidle").catch(() => undefined);

    // The style sheet for all pages arrives with the scripts.
    expect(requests.filter((address) => /\/assets\/index-.*\.css$/.test(address))).toHaveLength(1);
    const ahead = aheadOf(html);
    expect(ahead.length).toBeGreaterThan(0);
    await expectAskedOnce(page, requests, ahead);
    // The page's own script, in addition to those that every page has.
    expect(scriptsOf(html).filter((name) => !/^(rolldown-runtime|shared|index)-/.test(name))).not.toEqual([]);
  });
}

/** The scripts that the HTML names, without their folder. */
function scriptsOf(html: string) {
  return [...html.matchAll(/<link rel="modulepreload" crossorigin href="\/assets\/([^"]+)">/g)].map(
    ([, name]) => name!,
  );
}

/** The URLs that the HTML preloads, without the site's origin. */
const aheadOf = (html: string) =>
  [...html.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)">/g)].map(([, href]) =>
    href!.replaceAll("&amp;", "&"),
  );

const signInStaff = (page: Page) =>
  page.request.post("/api/admin/auth/sign-in", { data: { username: "kornbluh", password: samplePassword } });

test("the HTML of a page of the staff area names its scripts, and fetches nothing for a stranger", async ({
  page,
  camp,
}) => {
  const ofStranger = await (await page.request.get(`${camp.url}/admin/users`)).text();
  expect(aheadOf(ofStranger), "nothing for a stranger, who would be refused").toEqual([]);
  expect(scriptsOf(ofStranger).join(), "the page for signing in, to which the stranger is led").toContain("login-");
  expect(scriptsOf(await (await page.request.get(`${camp.url}/admin`)).text()).join()).toContain("dashboard-");

  await signInStaff(page);
  const html = await (await page.goto("/admin/users"))!.text();
  await expect(page.getByRole("heading", { level: 1, name: "User Management" })).toBeVisible();
  const named = scriptsOf(html);
  expect(named.some((name) => name.startsWith("users-"))).toBe(true);
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  for (const name of named)
    expect(
      loaded.filter((url) => url.endsWith(`/assets/${name}`)),
      name,
    ).toHaveLength(1);
});

test("the HTML of a page of the staff area has its title", async ({ page, camp }) => {
  const titleOf = async (path: string) =>
    /<title>(.*?) - /.exec(await (await page.request.get(camp.url + path)).text())?.[1];
  expect(await titleOf("/admin/users"), "a stranger is led there").toBe("Staff Login");
  expect(await titleOf("/admin/login")).toBe("Staff Login");
  await signInStaff(page);
  for (const path of [
    "/admin",
    "/admin/dashboard",
    "/admin/reports",
    "/admin/gallery",
    "/admin/comments",
    "/admin/users",
    "/admin/payments",
    "/admin/live-updates",
    "/admin/messages",
    "/admin/mail",
    "/admin/faq",
    "/admin/store",
    "/admin/analytics",
    "/admin/admin-management",
    "/admin/settings",
    "/admin/audit",
    "/admin/account",
    "/admin/users/00000000-0000-7000-8000-000000000000/statement",
    "/admin/users/00000000-0000-7000-8000-000000000000/receipt/00000000-0000-7000-8000-000000000000",
    "/admin/nowhere",
  ]) {
    const early = await titleOf(path);
    await page.goto(path);
    await expect(page.locator("main h1, main .sheet, main p").first()).toBeVisible();
    await expect.poll(async () => (await page.title()).split(" - ")[0], path).toBe(early);
  }
});

/** Gives the newest film in the lists this title and publication time. */
async function showNewest(page: Page, { title, published_at }: { title: string; published_at: () => string }) {
  const change = async (route: Route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { items: VideoCard[] };
    const days = list.items.map(({ upload_date }) => upload_date).toSorted();
    for (const film of list.items)
      if (film.upload_date === days.at(-1)) Object.assign(film, { title, published_at: published_at() });
    await route.fulfill({ response, json: list });
  };
  // The page may be closed by then.
  await page.route(/\/api\/videos\?/, (route) => change(route).catch(() => undefined));
}

/** The newest film as it looks on only some days of the sample camp. */
const films = {
  "today, with a short title": { title: "Lake day", published_at: () => new Date().toISOString() },
  "last night, with a title in two scripts": {
    title: "Melave Malka at the campfire · מלוה מלכה ביים פייער",
    published_at: () => new Date(Date.now() - 86_400_000).toISOString(),
  },
};

for (const [path, width, newest] of [
  ["/", 390, "today, with a short title"],
  ["/", 390, "last night, with a title in two scripts"],
  ["/", 1280, "today, with a short title"],
  ["/", 1280, "last night, with a title in two scripts"],
  ["/current-videos", 1280],
  ["/past-videos", 390],
  ["/past-videos", 1280],
] as const) {
  const about = newest ? `, newest film ${newest}` : "";
  test(`nothing moves on ${path} for somebody signed in, ${width} px wide${about}`, async ({ page }) => {
    await page.request.post("/api/auth/sign-in", {
      data: { email: "leah.lindenfeld@family.example", password: samplePassword },
    });
    await page.addInitScript(() => {
      window.moved = [];
      new PerformanceObserver((list) => {
        const shifts = list.getEntries() as (PerformanceEntry & { value: number })[];
        // A font that loads late moves letters by less than this.
        window.moved.push(...shifts.filter(({ value }) => value > 0.001).map((shift) => JSON.stringify(shift)));
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.setViewportSize({ width, height: 800 });
    const showSession = await hold(page, "**/api/session");
    if (newest) await showNewest(page, films[newest]);
    const showYears = await hold(page, "**/api/videos/years");
    const showVideos = await hold(page, /\/api\/videos\?/);
    const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
    await page.goto(path);
    await expect(page.getByRole("status", { name: /Loading/ }).first()).toBeVisible();
    await drawn();
    showSession();
    await expect(account(page, "Leah Lindenfeld")).toBeVisible();
    await drawn();
    showYears();
    await drawn();
    showVideos();
    await expect(page.locator("main article").first()).toBeVisible();
    await page.waitForLoadState("networkidle").catch(() => undefined);
    await drawn();
    expect(await page.evaluate(() => window.moved)).toEqual([]);
  });
}

for (const [path, own] of [
  ["dashboard", 0],
  ["reports", 2],
  ["gallery", 1],
  ["comments", 2],
  ["users", 2],
  ["payments", 2],
  ["live-updates", 1],
  ["messages", 2],
  ["mail", 1],
  ["faq", 2],
  ["store", 2],
  ["analytics", 1],
  ["admin-management", 1],
  ["settings", 1],
  ["audit", 2],
] as const) {
  test(`/admin/${path} requests nothing twice that its HTML preloads`, async ({ page }) => {
    await signInStaff(page);
    const requests = await watchRequests(page);
    const html = await (await page.goto(`/admin/${path}`))!.text();
    const ahead = aheadOf(html);
    expect(ahead).toHaveLength(2 + own);
    await expectAskedOnce(page, requests, ahead);
  });
}

for (const [width, place] of [
  [390, "banner"],
  [1280, "complementary"],
] as const) {
  test(`a page of the staff area shows its frame and its heading before any script, ${width} px wide`, async ({
    page,
    camp,
  }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.route(/\/assets\/[^/]+\.js$/, (route) => route.abort());
    await page.goto("/admin/users");
    await expect(page.locator("h1"), "a stranger is led away").toBeHidden();

    await signInStaff(page);
    await page.goto("/admin/users");
    await expect(page.locator("h1", { hasText: "User Management" })).toBeVisible();
    await expect(page.locator("main"), "what is typed into it would be lost").toHaveAttribute("inert");
    await expect(page.getByRole(place).getByText("Staff area").first()).toBeVisible();
    const html = await (await page.request.get(`${camp.url}/admin/users`)).text();
    expect(html).not.toContain("kornbluh");
    expect(html.match(/<link rel="stylesheet" [^>]*href="\/assets\/[^"]+"/g), "one style sheet").toHaveLength(1);
  });
}

test("the dashboard appears with its figures at once, and nothing shifts", async ({ page }) => {
  await signInStaff(page);
  await page.addInitScript(() => {
    window.moved = [];
    new PerformanceObserver((list) => {
      window.moved.push(...list.getEntries().map((entry) => JSON.stringify(entry)));
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/dashboard");
  await expect(page.getByRole("heading", { name: "What needs attention now" })).toBeVisible();
  await page.waitForLoadState("networkidle").catch(() => undefined);
  expect(await page.evaluate(() => window.moved)).toEqual([]);
});
