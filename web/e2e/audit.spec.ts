import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { components } from "../src/api/schema.gen";
import { call, demoTest, expect, samplePassword, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { isSound } from "./support/sound";

type Schemas = components["schemas"];

const log = (page: Page) => page.getByRole("list", { name: "Audit log" });
const row = (page: Page, what: string) => log(page).getByRole("listitem", { name: what, exact: true });
const rows = (page: Page) => log(page).locator("> li");
const deeds = (page: Page) => log(page).getByRole("heading", { level: 3 });

/** The table that the page downloads, as rows of cells. Here only values with a comma are quoted. */
async function table(page: Page) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("audit.csv");
  const text = await readFile(await file.path(), "utf8");
  expect(text.startsWith("\ufeff")).toBe(true);
  return text
    .slice(1)
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(","));
}

test("the owner finds who did what and when, with before and after, and exports it", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp, "brayndl", "owner");
  const desk = await somebody();
  await staff(desk, camp, "miriam");

  await test.step("Miriam changes a price and records a payment", async () => {
    const product = { title: "=Camp cap", price: 1_850, category: "clothing", stock_quantity: 12 };
    await call(desk.request, "POST", "/api/admin/products", product);
    await desk.goto("/admin/store");
    await desk.getByRole("button", { name: "Edit =Camp cap" }).click();
    const panel = desk.getByRole("dialog", { name: "Edit Product" });
    await panel.getByLabel("Price").fill("20");
    await panel.getByLabel("Description").fill("Green");
    await panel.getByRole("button", { name: "Save Product" }).click();
    await expect(panel).toBeHidden();

    const family = await call<Schemas["FamilyRow"]>(desk.request, "POST", "/api/admin/users", {
      full_name: "Bluma Yarmush",
      email: "bluma@family.example",
      child_name: "Lipa",
    });
    await desk.goto(`/admin/users?user=${family.id}`);
    await desk
      .getByRole("dialog", { name: "Bluma Yarmush", exact: true })
      .getByRole("button", { name: "Record Payment" })
      .click();
    const pay = desk.getByRole("dialog", { name: "Record Payment" });
    await pay.getByLabel("Payment Amount").fill("125.50");
    await pay.getByLabel("The family sees this").fill("Check 114");
    await pay.getByRole("button", { name: "Record payment of $125.50" }).click();
    await expect(pay).toBeHidden();
  });

  await test.step("Brayndl changes a setting", async () => {
    await page.goto("/admin/settings");
    const general = page.getByRole("region", { name: "General", exact: true });
    await general.getByLabel(/^Posting time/).fill("Tonight after Maariv");
    await general.getByRole("button", { name: /^Save/ }).click();
    await expect(toast(page)).toContainText("Settings Saved");
  });

  await test.step("each action has its line, with before and after", async () => {
    await page.getByRole("navigation", { name: "Staff area" }).getByRole("link", { name: "Audit" }).click();
    await expect(row(page, "Setting changed").first()).toContainText(
      /by brayndl.*Posting time.*Next update: Midnight.*Tonight after Maariv/,
    );
    const price = row(page, "Product changed");
    await expect(price).toContainText(/by miriam.*Description.*Not set.*Green.*Price.*\$18\.50.*\$20/);
    const payment = row(page, "Payment recorded");
    await expect(payment).toContainText(/by miriam.*Paid.*\$0.*\$125\.50/);
    await expect(log(page)).not.toContainText(/Bluma|Yarmush|bluma@|Check 114/);
  });

  await test.step("by person, action and day, in the address bar", async () => {
    await page.getByLabel("Who").selectOption("miriam");
    await expect(page).toHaveURL(/\?who=miriam$/);
    await expect(row(page, "Setting changed")).toHaveCount(0);
    await expect(deeds(page)).toHaveText([
      "Payment recorded",
      "Family added",
      "Product changed",
      "Product added",
      "Staff signed in",
    ]);
    await page.getByLabel("What").selectOption("Store: everything");
    await expect(deeds(page)).toHaveText(["Product changed", "Product added"]);
    await page.getByLabel("What").selectOption("Product changed");
    await expect(deeds(page)).toHaveText(["Product changed"]);
    const { today } = await call<Schemas["Site"]>(page.request, "GET", "/api/site");
    await page.getByLabel("From").fill(today);
    await page.getByLabel("To").fill(today);
    await expect(page).toHaveURL(`/admin/audit?who=miriam&what=product.change&from=${today}&to=${today}`);
    await expect(deeds(page)).toHaveText(["Product changed"]);
    await page.reload();
    await expect(deeds(page)).toHaveText(["Product changed"]);
  });

  await test.step("the table has the same lines and no formula", async () => {
    const [head, ...lines] = await table(page);
    await expect(toast(page)).toContainText("The log was downloaded");
    expect(head!.slice(1)).toEqual([
      "Who",
      "Kind of Person",
      "Person",
      "Action",
      "Kind of Record",
      "Record",
      "Name of Record",
      "Before",
      "After",
      "Details",
    ]);
    expect(lines).toHaveLength(1);
    const [when, who, , , action, kind, , name, before, after] = lines[0]!;
    expect(when).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect([who, action, kind, name]).toEqual(["miriam", "product.change", "product", "'=Camp cap"]);
    expect([before, after]).toEqual(["description: none; price: 18.50", "description: Green; price: 20.00"]);
  });

  await test.step("impossible dates are reported beside the field, and an empty result offers a way back", async () => {
    await page.getByLabel("To").fill("2020-01-01");
    await expect(page.getByLabel("To")).toHaveAccessibleDescription("The last day is before the first.");
    await expect(page.getByRole("button", { name: "Export CSV" })).toBeDisabled();
    await page.getByLabel("From").fill("2019-12-01");
    await expect(page.getByText("Nothing matches these filters")).toBeVisible();
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
    await expect(page).toHaveURL(/\/admin\/audit$/);
    // The export itself is logged.
    await expect(rows(page).first()).toContainText(/Audit log exported.*by brayndl/);
    await expect(rows(page).first()).toContainText(/Action: Product changed.*By: miriam.*Lines: 1/);
  });

  await test.step("a line leads to everything about its record, and to the record itself", async () => {
    await row(page, "Payment recorded")
      .getByRole("link", { name: /^Everything about record/ })
      .click();
    await expect(deeds(page)).toHaveText(["Payment recorded", "Family added"]);
    await row(page, "Family added").getByRole("link", { name: "Family" }).click();
    await expect(page.getByRole("dialog", { name: "Bluma Yarmush", exact: true })).toBeVisible();
    await page.goto("/admin/audit?what=product.change");
    await row(page, "Product changed").getByRole("link", { name: "=Camp cap" }).click();
    await expect(page.getByRole("article").getByRole("heading", { name: "=Camp cap" })).toBeVisible();
  });

  await test.step("Miriam is refused", async () => {
    await desk.goto("/admin/audit?who=miriam");
    await expect(desk.getByText("Only owners can see this page")).toBeVisible();
    await expect(desk.getByRole("button", { name: "Export CSV" })).toBeHidden();
    for (const path of ["/api/admin/audit", "/api/admin/audit/filters", "/api/admin/audit.csv"]) {
      const answer = await desk.request.get(path);
      expect(answer.status(), path).toBe(403);
      expect((await answer.json()).code, path).toBe("owner_required");
    }
  });
});

demoTest("the log is accessible by keyboard, on a phone and in limited browsers", async ({ page, camp }) => {
  expect(camp.url).toBeTruthy();
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
  await page.goto("/admin/audit");
  await expect(rows(page).first()).toBeVisible();
  await isSound(page, "the audit log");

  const who = page.getByLabel("Who");
  await tabTo(page, who);
  await page.keyboard.type("The command");
  await expect(page).toHaveURL(/\?by=operator$/);
  await expect(row(page, "Sample camp created")).toBeVisible();
  await tabTo(page, page.getByLabel("Record id"));
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Record id")).toHaveAccessibleDescription(
    "Please enter a whole record id, or leave it empty.",
  );
  await isSound(page, "the audit log with a complaint");
  await tabTo(page, page.getByRole("button", { name: "Clear filters" }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/admin\/audit$/);

  await page.setViewportSize({ width: 390, height: 844 });
  const fold = page.getByRole("button", { name: /^Filters/ });
  await expect(who).toBeHidden();
  await fold.click();
  await expect(fold).toHaveAttribute("aria-expanded", "true");
  await page.getByLabel("What").selectOption("Staff accounts: everything");
  await expect(fold).toHaveText("Filters (1)");
  await expect(row(page, "Staff signed in").first()).toBeVisible();
  await isSound(page, "the audit log on a phone");

  await page.route("**/api/admin/audit?*", (route) => route.abort(), { times: 4 });
  await page.reload();
  await expect(page.getByText("Failed to load the audit log")).toBeVisible();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(row(page, "Staff signed in").first()).toBeVisible();
});
