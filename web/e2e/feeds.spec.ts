import { call, campName, demoTest as test, expect } from "./support/camp";
import type { Page } from "@playwright/test";

/** The elements of an XML document, or the parse error. */
async function parsed(page: Page, text: string) {
  return page.evaluate((xml) => {
    const document = new DOMParser().parseFromString(xml, "application/xml");
    const broken = document.querySelector("parsererror")?.textContent ?? null;
    const texts = (name: string) =>
      [...document.getElementsByTagName(name)].map((element) => element.textContent ?? "");
    const attributes = (name: string, attribute: string) =>
      [...document.getElementsByTagName(name)].map((element) => element.getAttribute(attribute));
    return {
      broken,
      root: document.documentElement.nodeName,
      namespace: document.documentElement.namespaceURI,
      ids: texts("id"),
      titles: texts("title"),
      updated: texts("updated"),
      links: attributes("link", "href"),
      locations: texts("loc"),
      entries: texts("entry").length,
    };
  }, text);
}

test("the Atom feed lists the newest videos and updates, and all of its links work", async ({
  page,
  camp,
  request,
}) => {
  await page.goto("/");
  const offered = await page.locator("link[type='application/atom+xml']").getAttribute("href");
  const answer = await request.get(offered!);
  expect(answer.headers()["content-type"]).toContain("application/atom+xml");
  const feed = await parsed(page, await answer.text());
  expect(feed).toMatchObject({ broken: null, root: "feed", namespace: "http://www.w3.org/2005/Atom" });
  expect(feed.entries).toBeGreaterThan(20);
  expect(new Set(feed.ids).size, "every entry has an id of its own").toBe(feed.entries + 1);
  expect(feed.updated.every((moment) => !Number.isNaN(Date.parse(moment)))).toBe(true);

  const {
    items: [newest],
  } = await call<{ items: { id: string; title: string }[] }>(request, "GET", "/api/videos?collection=current");
  const { items: updates } = await call<{ items: { id: string; title: string }[] }>(
    request,
    "GET",
    "/api/live-updates",
  );
  expect(feed.titles).toContain(newest!.title);
  for (const { id } of updates) expect(feed.links).toContain(`${camp.url}/updates/${id}`);
  for (const link of feed.links.slice(0, 8)) expect((await request.get(link!)).status(), link!).toBe(200);

  const again = await request.get(offered!, { headers: { "if-none-match": answer.headers()["etag"]! } });
  expect(again.status()).toBe(304);
});

test("a request for the site's icon returns a picture", async ({ page, request }) => {
  const answer = await request.get("/favicon.ico");
  expect(answer.status()).toBe(200);
  expect(answer.headers()["content-type"]).toMatch(/^image\//);
  await page.goto("/");
  // This browser does not request the icon by itself.
  const width = await page.evaluate(
    async (base64) => {
      const picture = new Image();
      picture.src = `data:image/x-icon;base64,${base64}`;
      await picture.decode();
      return picture.naturalWidth;
    },
    (await answer.body()).toString("base64"),
  );
  expect(width).toBeGreaterThanOrEqual(32);
});

test("the sitemap lists every page and nothing personal, and robots are told where it is", async ({
  page,
  camp,
  request,
}) => {
  const robots = await (await request.get("/robots.txt")).text();
  const address = /^Sitemap: (.+)$/m.exec(robots)?.[1];
  expect(address).toBe(`${camp.url}/sitemap.xml`);
  for (const path of ["/admin", "/api/", "/auth/", "/profile", "/unsubscribe"])
    expect(robots).toContain(`Disallow: ${path}\n`);

  await page.goto("/");
  const map = await parsed(page, await (await request.get(address!)).text());
  expect(map).toMatchObject({ broken: null, root: "urlset", namespace: "http://www.sitemaps.org/schemas/sitemap/0.9" });
  for (const path of [
    "/",
    "/current-videos",
    "/past-videos",
    "/updates",
    "/about",
    "/faq",
    "/contact",
    "/store",
    "/privacy",
    "/terms",
  ])
    expect(map.locations).toContain(camp.url + path);
  expect(map.locations.filter((location) => /admin|auth|profile|unsubscribe/.test(location))).toEqual([]);
  expect(map.locations.filter((location) => location.includes("/video/")).length).toBeGreaterThan(300);
  for (const location of [map.locations[12]!, map.locations.at(-1)!])
    expect((await request.get(location)).status(), location).toBe(200);
});

test("the portal can be added to a phone's home screen, with the camp's own name", async ({ page, camp, request }) => {
  await page.goto("/");
  const site = await call<{ site_name: string }>(request, "GET", "/api/site");
  const answer = await request.get((await page.locator("link[rel=manifest]").getAttribute("href"))!);
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = (await answer.json()) as {
    name: string;
    short_name: string;
    start_url: string;
    display: string;
    icons: { src: string; sizes: string; type: string; purpose?: string }[];
  };
  expect(manifest).toMatchObject({ name: campName(site), start_url: "/", display: "standalone" });
  expect(manifest.short_name.length).toBeLessThanOrEqual(20);
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  expect(manifest.icons.some(({ purpose }) => purpose?.includes("maskable"))).toBe(true);

  const touch = (await page.locator("link[rel=apple-touch-icon]").getAttribute("href"))!;
  const own = (await page.locator("link[rel=icon]").getAttribute("href"))!;
  for (const { src, sizes } of [...manifest.icons, { src: touch, sizes: "180x180" }, { src: own, sizes: "any" }]) {
    const size = await page.evaluate(async (address) => {
      const picture = new Image();
      picture.src = address;
      await picture.decode();
      return `${picture.naturalWidth}x${picture.naturalHeight}`;
    }, src);
    if (sizes !== "any") expect(size, src).toBe(sizes);
  }

  const session = await page.context().newCDPSession(page);
  const told = (await session.send("Page.getAppManifest")) as { errors: { message: string }[]; url: string };
  expect(told.url).toBe(`${camp.url}/manifest.webmanifest`);
  expect(told.errors).toEqual([]);
});
