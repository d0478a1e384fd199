import { demoTest as test, expect, hold } from "./support/camp";

// Tests what people do on a page whose scripts have not arrived yet.
test.use({ viewport: { width: 390, height: 844 } });

const scripts = /\/assets\/[^/]+\.js$/;

for (const path of ["/past-videos", "/current-videos"])
  test(`text typed into the search box of ${path} before the scripts load is searched for`, async ({ page }) => {
    const release = await hold(page, scripts);
    await page.goto(path, { waitUntil: "commit" });
    const box = page.getByRole("searchbox", { name: "Search videos" });
    await box.click();
    await box.pressSequentially("nothing of");
    release();
    await expect(page).toHaveURL(`${path}?q=nothing+of`);
    await expect(box).toHaveValue("nothing of");
    await expect(page.getByRole("main")).toContainText('found matching "nothing of"');
    await expect(box).toBeFocused();
    await box.pressSequentially(" the kind");
    await expect(page).toHaveURL(`${path}?q=nothing+of+the+kind`);
  });

test("a button pressed before the scripts load works once they have loaded", async ({ page }) => {
  let release = await hold(page, scripts);
  await page.goto("/past-videos", { waitUntil: "commit" });
  await page.getByRole("button", { name: "All Videos" }).click();
  release();
  await expect(page).toHaveURL("/past-videos?view=all");
  await expect(page.getByRole("heading", { name: /^All Gallery Videos/ })).toBeVisible();

  release = await hold(page, scripts);
  await page.goto("/", { waitUntil: "commit" });
  await page.getByRole("button", { name: "Open menu" }).click();
  release();
  await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
});

test("somebody who pressed a button and then kept reading is not interrupted", async ({ page }) => {
  const release = await hold(page, scripts);
  await page.goto("/past-videos", { waitUntil: "commit" });
  await page.getByRole("button", { name: "All Videos" }).click();
  await page.getByRole("heading", { level: 1 }).click();
  release();
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await expect(page).toHaveURL("/past-videos");
});
