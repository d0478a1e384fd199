import { readFile } from "node:fs/promises";
import type { components } from "../src/api/schema.gen";
import { call, demoTest, expect, parent, posted, samplePassword, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import type { Page } from "@playwright/test";

const figure = (page: Page, label: string) =>
  page.locator("dl > div").filter({ has: page.locator("dt", { hasText: label }) });
const value = (page: Page, label: string) => figure(page, label).locator("dd").first();
const bar = (page: Page, section: string, label: string) =>
  page.getByRole("region", { name: section }).getByRole("progressbar", { name: label }).locator("..");

test("what a family does is counted, and nothing else", async ({ page, camp, somebody }) => {
  await staff(page, camp, "brayndl", "owner");
  const video = await posted(page, { title: "Campfire" });
  await page.goto("/admin/analytics");
  for (const label of ["Views", "Likes", "Comments", "New members"]) await expect(value(page, label)).toHaveText("0");
  await expect(page.getByRole("img", { name: "Views by day. No views on these days." })).toBeVisible();

  // Staff views are not counted.
  await call(page.request, "POST", `/api/videos/${video.id}/views`);
  const guest = await somebody();
  await parent(guest, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await guest.goto(`/video/${video.id}`);
  await guest.getByRole("button", { name: "Play Campfire" }).click();
  await guest.getByRole("button", { name: "0 Like" }).click();
  await expect(guest.getByRole("button", { name: "1 Liked" })).toBeVisible();
  await guest.getByLabel("Your comment").fill("There he is!");
  await guest.getByRole("button", { name: "Post comment" }).click();
  await expect(guest.getByRole("region", { name: "Comments" }).getByRole("listitem")).toContainText("There he is!");
  const phone = await somebody({
    userAgent:
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
  });
  await phone.goto(`/video/${video.id}`);
  await phone.getByRole("button", { name: "Play Campfire" }).click();

  await expect(async () => {
    await page.reload();
    await expect(value(page, "Views")).toHaveText("2", { timeout: 10_000 });
  }).toPass();
  for (const label of ["Likes", "Comments", "New members"]) await expect(value(page, label)).toHaveText("1");
  await expect(figure(page, "Views")).toContainText("None in the 30 days before");
  await expect(bar(page, "Devices", "Phone")).toContainText("1 of 2 views (50%)");
  await expect(bar(page, "Engagement", "Commented")).toContainText("1 of 1 login (100%)");
  await expect(page.getByRole("region", { name: "Top content" }).getByRole("listitem")).toContainText(
    /Campfire.*2 views · 1 like · 1 comment/,
  );
  await expect(page.getByRole("region", { name: "Recent activity" })).toContainText("Chaya Feder commented");
  await page.getByRole("region", { name: "Top content" }).getByRole("link", { name: "Campfire" }).click();
  await expect(page).toHaveURL(new RegExp(video.id));
});

demoTest("a period and a chart are chosen, also by keyboard, and every number is in a table", async ({ page }) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
  const figures = (period: string) =>
    call<components["schemas"]["Analytics"]>(page.request, "GET", `/api/admin/analytics?period=${period}`);
  await page.goto("/admin/analytics");
  const spelled = new Intl.NumberFormat("en-US");
  for (const [name, period] of [
    ["7 days", "7"],
    ["90 days", "90"],
    ["Season", "season"],
    ["30 days", "30"],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect(page).toHaveURL(period === "30" ? /analytics$/ : new RegExp(`period=${period}$`));
    const { views, days } = await figures(period);
    await expect(figure(page, "Views").locator("dd").first()).toHaveText(spelled.format(views.value));
    expect(days.reduce((sum, day) => sum + day.views, 0)).toBe(views.value);
  }
  await tabTo(page, page.getByRole("button", { name: "Comments", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/chart=comments$/);
  await expect(page.getByRole("img", { name: /^Comments by day\. Most: \d+ on / })).toBeVisible();
  const { days, devices, user_types } = await figures("30");
  await tabTo(page, page.getByText("The days as a table"));
  await page.keyboard.press("Enter");
  const table = page.getByRole("table", { name: "Every day of the period, newest first" });
  await expect(table.getByRole("row")).toHaveCount(days.length + 1);
  await expect(table.getByRole("row").nth(1).getByRole("cell")).toHaveText(
    [days.at(-1)!.views, days.at(-1)!.likes, days.at(-1)!.comments, days.at(-1)!.new_members].map((n) =>
      spelled.format(n),
    ),
  );
  await expect(bar(page, "Devices", "Tablet")).toContainText(spelled.format(devices.tablet));
  await expect(bar(page, "User types", "Parents")).toContainText(spelled.format(user_types.parents));

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split(/\r?\n/);
  await expect(toast(page)).toContainText("The table was downloaded");
  expect(lines).toHaveLength(days.length + 1);
  expect(lines.find((line) => line.includes(days[0]!.day))).toContain(String(days[0]!.views));
});

demoTest("staff can see the figures but not download them", async ({ page }) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "brikwald", password: samplePassword });
  await page.goto("/admin/analytics");
  await expect(page.getByRole("region", { name: "Devices" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Download CSV" })).toBeHidden();
  expect((await page.request.get("/api/admin/analytics.csv?period=30")).status()).toBe(403);
});
