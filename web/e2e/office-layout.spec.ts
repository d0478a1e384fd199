import { call, demoTest as test, expect, samplePassword } from "./support/camp";
import type { Locator } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
});

const box = async (what: Locator) => (await what.boundingBox())!;
const isOneLine = async (row: Locator) => {
  const middles = await row.evaluate((line) =>
    [...line.querySelectorAll("button, select")].map((control) => {
      const { top, bottom } = control.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    }),
  );
  expect(Math.max(...middles) - Math.min(...middles), "the controls are side by side").toBeLessThanOrEqual(2);
};

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the first family is near, and filters are one line", async ({ page }) => {
    await page.goto("/admin/users");
    const first = page
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name: /^Edit / }) })
      .first();
    await expect(first).toBeVisible();
    expect((await box(first)).y).toBeLessThan(520);
    for (const path of ["reports", "messages", "live-updates", "store", "faq"]) {
      await page.goto(`/admin/${path}`);
      await isOneLine(page.locator(".filter-row").first());
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390);
    }
  });

  test("filters that do not fit are behind a button in sight, and all of them are in view once it is pressed", async ({
    page,
  }) => {
    for (const [path, names] of [
      ["users", ["Sort by", "All Users", "Paid in Full", "Payment Due", "Overdue", "No Plan", "To approve"]],
      ["messages", ["Department", "Assigned to", "Sort by"]],
    ] as const) {
      await page.goto(`/admin/${path}`);
      const main = page.getByRole("main");
      const control = (name: string) =>
        main.getByRole("combobox", { name }).or(main.getByRole("button", { name: new RegExp(`^${name}`) }));
      const button = main.getByRole("button", { name: "Filters" });
      await expect(button).toBeInViewport({ ratio: 1 });
      await expect(control(names[0])).toBeHidden();
      await button.click();
      for (const name of names) await expect(control(name), name).toBeInViewport({ ratio: 1 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390);
    }
    await page.getByRole("combobox", { name: "Department" }).selectOption("Video team");
    await expect(page.getByRole("button", { name: "Filters (1)" })).toBeVisible();
    for (const name of ["All", "Unread", "Read", "Replied", "Spam"])
      await expect(page.getByRole("button", { name: new RegExp(`^${name}\\b`) }).first()).toBeInViewport({ ratio: 1 });
  });

  test("the box that selects a report leaves its description the width", async ({ page }) => {
    await page.goto("/admin/reports");
    const row = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("checkbox") })
      .first();
    const [title, select] = [await box(row.getByRole("heading")), await box(row.getByRole("checkbox"))];
    const { x, width } = await box(row);
    expect(x + width - title.x).toBeGreaterThan(230);
    expect(select.x + select.width, "it lies on the picture").toBeLessThan(title.x);
  });
});

test.describe("on a laptop", () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test("addresses of families are whole", async ({ page }) => {
    await page.goto("/admin/users");
    const rows = page.getByRole("row").filter({ has: page.getByRole("button", { name: /^Edit / }) });
    await expect(rows.first()).toBeVisible();
    const cut = await rows.evaluateAll(
      (all) =>
        all.filter((row) =>
          [...row.querySelectorAll("td:first-child *")].some(
            (e) =>
              e.scrollWidth > e.clientWidth + 1 &&
              getComputedStyle(e).overflowX === "hidden" &&
              !e.classList.contains("sr-only"),
          ),
        ).length,
    );
    expect(cut).toBe(0);
  });

  test("eight updates are in view, and cards of Analytics in a row are equally high", async ({ page }) => {
    await page.goto("/admin/live-updates");
    const updates = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Deactivate/ }) });
    await expect(updates.nth(7)).toBeInViewport({ ratio: 1 });
    await page.goto("/admin/analytics");
    for (const names of [
      ["Top content", "Recent activity"],
      ["Engagement", "User types", "Devices"],
    ]) {
      const heights = [];
      for (const name of names) heights.push(Math.round((await box(page.getByRole("region", { name }))).height));
      expect(new Set(heights).size, names.join(", ")).toBe(1);
    }
  });
});
