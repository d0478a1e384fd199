import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { call, expect, hire, parent, password, posted, signUp, staff, test, toast } from "./support/camp";
import { photo } from "./support/photo";
import { isSound } from "./support/sound";

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

async function save(page: Page, group: "General" | "Look" | "Notifications" | "Security") {
  await region(page, group).getByRole("button", { name: /^Save/ }).click();
  await expect(region(page, group).getByText(/unsaved change/)).toBeHidden();
}

test("families and strangers see what an owner changes", async ({ page, camp, somebody }) => {
  await staff(page, camp, "miriam", "owner");
  const video = await posted(page, { title: "Campfire" });
  const stranger = await somebody();
  await page.goto("/admin/settings");

  await test.step("the name, the posting time and the first sentence", async () => {
    const general = region(page, "General");
    await general.getByLabel("Camp name").fill("Camp Ner Tomid");
    await general.getByLabel(/^Posting time/).fill("Tonight after Maariv");
    await expect(general.getByText("2 unsaved changes")).toBeVisible();
    await save(page, "General");
    await expect(toast(page)).toContainText("Settings Saved");
    await stranger.goto("/current-videos");
    await expect(stranger).toHaveTitle("This Year Videos - Camp Ner Tomid");
    await expect(stranger.getByRole("banner")).toContainText("Camp Ner Tomid");
    await expect(stranger.getByText("Tonight after Maariv")).toBeVisible();
  });

  await test.step("an email has the new name", async () => {
    await signUp(await somebody(), { name: "Chaya Feder", email: "chaya@family.example" });
    const mail = await camp.mailTo("chaya@family.example", /confirm/);
    expect(mail.html).toContain("Camp Ner Tomid");
    expect(mail.text).toContain("Camp Ner Tomid");
  });

  await test.step("who may watch, and whether strangers may sign up", async () => {
    const security = region(page, "Security");
    await security.getByLabel("Access to videos").selectOption({ label: "Families of the camp" });
    await security.getByRole("switch", { name: "Sign-up" }).uncheck();
    await save(page, "Security");
    await stranger.goto(`/video/${video.id}`);
    await expect(stranger.getByRole("heading", { level: 1 })).not.toHaveText("Campfire");
    expect((await stranger.request.get(`/api/videos/${video.id}`)).status()).toBe(401);
    await stranger.goto("/auth?mode=create");
    await expect(stranger.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
    await expect(stranger.getByLabel("Your Name")).toBeHidden();
  });

  await test.step("a first comment waits for the camp", async () => {
    await region(page, "Security").getByLabel("Access to videos").selectOption({ label: "Everyone" });
    await region(page, "Security").getByRole("switch", { name: "Sign-up" }).check();
    await region(page, "Security")
      .getByLabel("Comments", { exact: true })
      .selectOption({ label: "Everyone’s first comment waits for approval" });
    await save(page, "Security");
    const mother = await somebody();
    await parent(mother, camp, { name: "Leah Roth", email: "leah@family.example" });
    await mother.goto(`/video/${video.id}`);
    await mother.getByLabel("Your comment").fill("Our first summer!");
    await mother.getByRole("button", { name: "Post comment" }).click();
    await expect(mother.getByText("Waiting for the camp to approve it")).toBeVisible();
    await stranger.goto(`/video/${video.id}`);
    await expect(stranger.getByText("No comments yet. Be the first to write one.")).toBeVisible();
    await page.goto("/admin/dashboard");
    await page.getByRole("link", { name: "1 comment to approve" }).click();
    await expect(page).toHaveURL(/\/admin\/comments\?filter=held$/);
    await page.getByRole("button", { name: "Approve comment by Leah Roth" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Comment approved" })).toBeVisible();
    await expect(stranger.getByText("Our first summer!")).toBeVisible();
    await expect(mother.getByText("Waiting for the camp to approve it")).toBeHidden();
  });
});

test("the camp's own colors and pictures replace the built-in ones until they are removed", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp, "miriam", "owner");
  const stranger = await somebody();
  const ground = (from: Page) =>
    from
      .getByRole("link", { name: "View All Current Videos" })
      .evaluate((link) => getComputedStyle(link).backgroundColor);
  await stranger.goto("/");
  const builtIn = await ground(stranger);
  await page.goto("/admin/settings");
  const look = region(page, "Look");
  await look.getByLabel(/^Main color/).fill("#7a2fb0");
  await save(page, "Look");
  const upload = (of: string, name: string) =>
    look
      .getByLabel(`File for ${of}`)
      .setInputFiles({ name: `${name}.jpg`, mimeType: "image/jpeg", buffer: photo(name) });
  await upload("Logo", "campfire");
  await expect(look.getByAltText("Logo on dark ground")).toBeVisible();
  await upload("Home pictures", "lake");
  await expect(look.getByRole("button", { name: "Remove home picture 1" })).toBeVisible();
  await look
    .getByLabel("File for Logo")
    .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await expect(look.getByText("This is not a valid image file.")).toBeVisible();
  await isSound(page, "the settings with pictures");

  await stranger.reload();
  await expect(stranger.locator(".hero-art").last()).toHaveAttribute("src", /^\/media\/site\//);
  await expect(stranger.getByRole("banner").locator("img")).toHaveAttribute("src", /^\/media\/site\//);
  await expect.poll(() => ground(stranger)).toBe("rgb(122, 47, 176)");
  await isSound(stranger, "the home page in the camp's own look");

  await look.getByRole("button", { name: "Remove home picture 1" }).click();
  await page
    .getByRole("dialog", { name: "Remove this picture?" })
    .getByRole("button", { name: "Remove picture" })
    .click();
  await expect(look.getByText("The three built-in scenes take turns.")).toBeVisible();
  await look.getByRole("button", { name: "Use the built-in one" }).click();
  await page
    .getByRole("dialog", { name: "Go back to the built-in logo?" })
    .getByRole("button", { name: "Remove the logo" })
    .click();
  await expect(look.getByText(/built-in tent/)).toBeVisible();
  await look.getByRole("button", { name: "Built in main color" }).click();
  await save(page, "Look");
  await stranger.emulateMedia({ colorScheme: "light" });
  await stranger.goto("/");
  await expect(stranger.locator(".hero-art")).toHaveCount(3);
  await expect.poll(() => ground(stranger)).toBe(builtIn);
});

/** A picture of five colors side by side. */
const banner = (page: Page, width: number, height: number) =>
  page.evaluate(
    async ([wide, high]) => {
      const canvas = new OffscreenCanvas(wide!, high!);
      const context = canvas.getContext("2d")!;
      ["teal", "gold", "navy", "olive", "brown"].forEach((color, i) => {
        context.fillStyle = color;
        context.fillRect((i * wide!) / 5, 0, wide! / 5, high!);
      });
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
    },
    [width, height],
  );

test("a wide logo leaves room for the name, on a phone as well", async ({ page, camp, somebody }) => {
  await staff(page, camp, "miriam", "owner");
  await call(page.request, "PATCH", "/api/admin/settings", { siteName: "Camp Ner Tomid" });
  const stranger = await somebody();
  for (const [width, height] of [
    [500, 100],
    [480, 60],
    [500, 25],
  ] as const) {
    const data = Buffer.from(await banner(page, width, height));
    const headers = { "content-type": "image/png" };
    expect((await page.request.post("/api/admin/settings/pictures/logo", { headers, data })).ok()).toBe(true);
    for (const screen of [320, 390, 1280]) {
      await stranger.setViewportSize({ width: screen, height: 800 });
      await stranger.goto("/faq");
      const top = stranger.getByRole("banner");
      await expect(top.locator("img")).toHaveAttribute("width", String(width));
      const lines = await top.getByText("Camp Ner Tomid").evaluate((name) => {
        const range = document.createRange();
        range.selectNodeContents(name);
        return new Set([...range.getClientRects()].map((line) => line.top)).size;
      });
      expect(lines, `${width} × ${height} at ${screen}`).toBeLessThanOrEqual(screen === 320 ? 2 : 1);
      expect((await top.boundingBox())!.height).toBeLessThan(80);
      expect(await stranger.evaluate(() => document.documentElement.scrollWidth)).toBe(screen);
    }
  }
});

test("two owners do not overwrite each other, and a file restores old values", async ({ page, camp, somebody }) => {
  await staff(page, camp, "miriam", "owner");
  const other = await somebody();
  await staff(other, camp, "dovid", "owner");
  await page.goto("/admin/settings");
  const general = region(page, "General");
  await general.getByLabel("Camp name").fill("Camp of Miriam");

  await call(other.request, "PATCH", "/api/admin/settings", { siteName: "Camp of Dovid" });
  await general.getByRole("button", { name: "Save general settings" }).click();
  await expect(general.getByText(/Someone else changed this page while you were editing/)).toBeVisible();
  await general.getByRole("button", { name: "Reload and keep what I typed" }).click();
  await expect(general.getByText(/Someone else changed this page/)).toBeHidden();
  await expect(general.getByLabel("Camp name")).toHaveValue("Camp of Miriam");
  await save(page, "General");

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const file = await (await download).path();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    siteName: "Camp of Miriam",
    commentModeration: "at_once",
    mainColor: "",
    logo: null,
    heroPictures: [],
  });

  await general.getByLabel("Camp name").fill("Another camp");
  await general.getByLabel("Default plan amount").fill("3,100");
  await save(page, "General");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import settings" });
  await dialog.getByLabel("Settings file").setInputFiles(file);
  await expect(dialog.getByRole("row", { name: "Camp name Another camp Camp of Miriam" })).toBeVisible();
  await expect(dialog.getByRole("row", { name: "Default plan amount 3,100.00 2,800.00" })).toBeVisible();
  await dialog.getByRole("button", { name: "Apply 2 changes" }).click();
  await expect(toast(page)).toContainText("Settings Imported");
  await expect(general.getByLabel("Camp name")).toHaveValue("Camp of Miriam");
  await expect(general.getByLabel("Default plan amount")).toHaveValue("2,800.00");
  expect((await call<{ site_name: string }>(other.request, "GET", "/api/site")).site_name).toBe("Camp of Miriam");
});

test("a staff member who is not an owner is refused", async ({ page, camp }) => {
  await staff(page, camp);
  await page.goto("/admin/settings");
  await expect(page.getByText("Only owners can see this page")).toBeVisible();
  for (const path of ["/api/admin/settings", "/api/admin/settings/export"])
    expect((await page.request.get(path)).status(), path).toBe(403);
  expect((await page.request.patch("/api/admin/settings", { data: { siteName: "Mine" } })).status()).toBe(403);
  expect(
    (
      await page.request.post("/api/admin/settings/pictures/logo", {
        headers: { "content-type": "image/jpeg" },
        data: photo("lake"),
      })
    ).status(),
  ).toBe(403);
});

test("an owner changes settings by keyboard alone", async ({ page, camp }) => {
  hire(camp, "miriam", "owner");
  await page.goto("/admin/settings");
  await page.getByLabel("Username").focus();
  await page.keyboard.type("miriam");
  await page.keyboard.press("Tab");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  const name = page.getByLabel("Camp name");
  await name.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Camp by Keyboard");
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Settings Saved");
  const letters = page.getByRole("switch", { name: "Daily videos" });
  await letters.focus();
  await page.keyboard.press("Space");
  await expect(letters).not.toBeChecked();
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Notifications Updated");
  await isSound(page, "the settings");
  const all = await call<{ items: { key: string; value: unknown }[] }>(page.request, "GET", "/api/admin/settings");
  expect(Object.fromEntries(all.items.map(({ key, value }) => [key, value]))).toMatchObject({
    siteName: "Camp by Keyboard",
    dailyReports: false,
  });
});
