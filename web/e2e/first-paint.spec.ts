import { demoTest as test, expect } from "./house/camp";

declare global {
  interface Window {
    asked: string[];
  }
}

// What the HTML has the browser fetch ahead is fetched for nothing unless the page asks for it in the same words.
for (const path of ["/", "/current-videos", "/past-videos", "/faq", "/store", "/updates", "/about"]) {
  test(`${path} uses what its HTML fetches ahead, and asks for nothing twice`, async ({ page, camp }) => {
    await page.addInitScript(() => {
      window.asked = [];
      const { fetch } = window;
      window.fetch = (what, how) => {
        window.asked.push(new URL(what instanceof Request ? what.url : String(what), location.href).href);
        return fetch(what, how);
      };
    });
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));

    const html = await (await page.goto(path))!.text();
    await expect(page.getByRole("contentinfo")).toBeVisible();
    await page.waitForLoadState("networkidle").catch(() => undefined);

    const ahead = [...html.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]+)">/g)].map(([, href]) => new URL(href!.replaceAll("&amp;", "&"), camp.url).href);
    expect(ahead.length).toBeGreaterThan(0);
    for (const address of ahead) {
      await expect.poll(() => page.evaluate(() => window.asked), "what the page asked for").toContain(address);
      // What happened meanwhile may have it asked for again, but none of the asking is beside what was fetched ahead.
      await expect.poll(async () => {
        const asked = await page.evaluate((one) => window.asked.filter((url) => url === one).length, address);
        return requests.filter((url) => url === address).length - asked;
      }, address).toBe(0);
    }
    // The page's own script, beside those that every page has.
    const every = html.match(/<link rel="modulepreload" crossorigin href=/g)?.length ?? 0;
    expect(every).toBeGreaterThan(5);
  });
}
