import { call, demoTest as test, expect, samplePassword } from "./support/camp";
import type { Locator } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
});

const box = async (what: Locator) => (await what.boundingBox())!;

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("the first family is close to the top", async ({ page }) => {
    await page.goto("/admin/users");
    const first = page
      .getByRole("row")
      .filter({ has: page.getByRole("button", { name: /^Edit / }) })
      .first();
    await expect(first).toBeVisible();
    expect((await box(first)).y).toBeLessThan(520);
  });

  test("filters are behind a button beside the search box, and all of them are in view once it is pressed", async ({
    page,
  }) => {
    for (const [path, names] of [
      ["users", ["Sort by", "All Users", "Paid in Full", "Payment Due", "Overdue", "No Plan", "To approve"]],
      ["messages", ["Department", "Assigned to", "Sort by", "All", "Unread", "Read", "Replied", "Spam"]],
      ["reports", ["All", "Published", "Scheduled", "Drafts", "Filter by what needs attention", "Sort by"]],
      ["live-updates", ["Filter by status", "Filter by priority"]],
      ["store", ["Sort by", "All", "Clothing", "Accessories", "Equipment", "Memorabilia", "Digital"]],
      ["faq", ["All", "Schedule", "What to Bring", "Safety & Security", "Policies", "Communication"]],
      ["comments", ["To review", "Reported", "Waiting", "Hidden", "All"]],
    ] as const) {
      await page.goto(`/admin/${path}`);
      const main = page.getByRole("main");
      const control = (name: string) =>
        main
          .getByRole("combobox", { name })
          .or(main.getByRole("button", { name: new RegExp(`^${name}( ?[\\d,]+)?$`) }));
      const button = main.getByRole("button", { name: "Filters" });
      await expect(button, path).toBeInViewport({ ratio: 1 });
      const [search, beside] = [await box(main.getByRole("searchbox")), await box(button)];
      expect(Math.abs(search.y - beside.y), `${path}: the search box and the button are side by side`).toBeLessThan(3);
      await expect(control(names[0])).toBeHidden();
      await button.click();
      for (const name of names) await expect(control(name), `${path}: ${name}`).toBeInViewport({ ratio: 1 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390);
    }
  });

  test("the active filters stay in view when they are collapsed", async ({ page }) => {
    const chosen = page.getByRole("list", { name: "Chosen filters" }).getByRole("listitem");
    await page.goto("/admin/messages");
    await expect(page.getByRole("button", { name: "Filters" })).toBeVisible();
    await expect(chosen).toHaveCount(0);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Department" }).selectOption("Video team");
    await page.getByRole("button", { name: /^Replied/ }).click();
    await page.getByRole("button", { name: "Filters (2)" }).click();
    await expect(chosen).toHaveText(["Replied", "Video team"]);
    for (const [path, names] of [
      [
        "audit?by=staff&what=video&of=video&from=2026-07-01&to=2026-07-31",
        ["Any staff", "Videos", "Record: Video", "From Jul 1, 2026", "To Jul 31, 2026"],
      ],
      ["audit?who=brikwald&what=video.edit", ["brikwald", "Video changed"]],
      ["users?filter=overdue&sort=name", ["Overdue", "By name"]],
      ["reports?status=published&sort=views", ["Published", "Most viewed"]],
      ["live-updates?standing=active&priority=high", ["Active", "High priority"]],
      ["store?category=clothing", ["Clothing"]],
      ["faq?category=Schedule", ["Schedule"]],
      ["comments?filter=hidden", ["Hidden 5"]],
      ["comments", ["To review 13"]],
    ] as const) {
      await page.goto(`/admin/${path}`);
      await expect(chosen, path).toHaveText(names);
      await expect(chosen.first()).toBeInViewport({ ratio: 1 });
    }
  });

  test("all sections of Email are in view", async ({ page }) => {
    await page.goto("/admin/mail");
    for (const name of [/^Failed emails/, /^Refused addresses/, "Bounces", "Preview emails"])
      await expect(page.getByRole("main").getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  });

  test("a report's checkbox leaves the full width to its description", async ({ page }) => {
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

/** The controls and times in the main part of the page that are cut off at a side, or overlap another control. */
function hiddenParts() {
  const shown = [...document.querySelectorAll("main :is(button, a, input, select, textarea, time)")].filter(
    (part) =>
      !part.closest(".sr-only, [class*='max-4xl:sr-only']") &&
      part.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !part.matches("[type=file]"),
  );
  const named = (part: Element) => `${part.ariaLabel ?? ""} ${part.textContent}`.trim().slice(0, 60);
  const scrolls = (part: Element | null): boolean =>
    !!part && part.tagName !== "MAIN" && (getComputedStyle(part).overflowX === "auto" || scrolls(part.parentElement));
  const cut = shown.filter((part) => {
    if (scrolls(part.parentElement)) return false;
    const { left, right } = part.getBoundingClientRect();
    return left < -1 || right > document.documentElement.clientWidth + 1;
  });
  const search = document.querySelector("main [type=search]")?.getBoundingClientRect();
  const below = shown.filter((part) => {
    if (!search || part.tagName !== "BUTTON" || part.parentElement?.querySelector(":scope > [type=search]"))
      return false;
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left < search.right && right > search.left && top < search.bottom && bottom > search.top;
  });
  return [...cut, ...below].map(named);
}

/** Shows the longest day name, whatever day it is. */
function makeAllDaysWednesday() {
  const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    text.data = text.data.replace(/\b(?:Sun|Mon|Tues|Thurs|Fri|Satur)day\b/g, "Wednesday");
  }
}

/** The amounts in the main part of the page that wrap onto the next line, or are cut off. */
function brokenAmounts() {
  const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    for (const { 0: amount, index } of text.data.matchAll(/[-−+]?\$[\d,.]+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + amount.length);
      const around = text.parentElement!.closest(".sheet")?.getBoundingClientRect();
      const cut = around && range.getBoundingClientRect().right > around.right;
      if (cut || new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(amount);
    }
  }
  return broken;
}

test("large amounts do not wrap", async ({ page }) => {
  const much = 1_234_567_890;
  const items = ["payment", "adjustment", "refund", "void"].map((kind) => ({ kind, entries: 1_234, amount: -much }));
  await page.route("**/api/admin/payments/totals*", (route) =>
    route.fulfill({ json: { items, amount: -much, currency: "USD" } }),
  );
  await page.route("**/api/admin/users/summary*", async (route) => {
    const summary = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...summary, total_revenue: much } });
  });
  for (const width of [320, 390, 768, 1024, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [path, amount] of [
      ["payments", "−$12,345,678.90"],
      ["users", "$12,345,678.90"],
    ] as const) {
      await page.goto(`/admin/${path}`);
      await expect(page.getByText(amount, { exact: true }).first()).toBeVisible();
      expect(await page.evaluate(brokenAmounts), `${path} at ${width}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(width);
    }
  }
});

for (const size of ["100%", "200%"])
  test(`every control is in view on the narrowest phone, with text at ${size}`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    for (const path of [
      "dashboard",
      "reports",
      "reports?action=upload",
      "gallery",
      "users",
      "payments",
      "admin-management",
      "live-updates",
      "live-updates?action=create",
      "messages",
      "faq",
      "store",
      "analytics",
      "settings",
      "audit",
      "mail",
      "comments",
      "account",
    ]) {
      await page.goto(`/admin/${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.waitForLoadState("networkidle");
      await page.evaluate((fontSize) => (document.documentElement.style.fontSize = fontSize), size);
      await page.evaluate(makeAllDaysWednesday);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320);
      expect(await page.evaluate(hiddenParts), path).toEqual([]);
    }
  });

test.describe("on a laptop", () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test("families' addresses are shown in full", async ({ page }) => {
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

  test("eight updates are in view, and Analytics cards in one row have the same height", async ({ page }) => {
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
