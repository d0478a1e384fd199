import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { components } from "../src/api/schema.gen";
import { account, call, expect, parent, posted, signIn, signInLink, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

const add = (page: Page, name: string) =>
  call<Schemas["FamilyRow"]>(page.request, "POST", "/api/admin/users", {
    full_name: name,
    email: `${name.split(" ")[0]!.toLowerCase()}@family.example`,
    child_name: "Lipa",
  });
const detail = (page: Page, id: string) => call<Schemas["FamilyDetail"]>(page.request, "GET", `/api/admin/users/${id}`);
const ledger = async (page: Page, id: string) =>
  (await detail(page, id)).payments.toReversed().map(({ kind, amount }) => [kind, amount]);

test.describe("Payments", () => {
  test("a payment is recorded once, emailed, refunded, adjusted and voided, and the ledger keeps every step", async ({
    page,
    camp,
  }) => {
    await staff(page, camp);
    const { id } = await add(page, "Bluma Yarmush");
    await page.goto(`/admin/users?user=${id}`);
    const drawer = page.getByRole("dialog", { name: "Bluma Yarmush", exact: true });
    await drawer.getByRole("button", { name: "Record Payment" }).click();
    const pay = page.getByRole("dialog", { name: "Record Payment" });
    await expect(pay.getByLabel("Payment Date")).not.toHaveValue("");
    await pay.getByRole("button", { name: "Record payment", exact: true }).click();
    await expect(pay.getByText("Please enter an amount greater than 0.")).toBeVisible();
    await pay.getByLabel("Payment Amount").fill("3000");
    await pay.getByRole("button", { name: "Record payment of $3,000" }).click();
    await expect(pay.getByLabel("Payment Amount")).toHaveAccessibleDescription(
      /more than the remaining balance of \$2,800/,
    );
    await pay.getByLabel("Payment Amount").fill("500");
    await pay.getByLabel("The family sees this").fill("Check 114");
    await pay.getByLabel("Only staff see this").fill("Promised the rest by Friday");

    // The response is lost. A second try must not record another payment.
    await page.route(
      `**/api/admin/users/${id}/payments`,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await pay.getByRole("button", { name: "Record payment of $500" }).click();
    await expect(toast(page)).toContainText("Failed to record payment: ");
    await expect(pay.getByLabel("The family sees this")).toHaveValue("Check 114");
    await pay.getByRole("button", { name: "Record payment of $500" }).dblclick();
    await expect(toast(page)).toContainText("Payment of $500 recorded successfully. Remaining balance: $2,300");
    await expect(pay).toBeHidden();
    expect(await ledger(page, id)).toEqual([["payment", 50_000]]);
    const receipt = await camp.mailTo("bluma@family.example", /Your payment of \$500/);
    expect(receipt.text).toContain("Remaining balance: $2,300");
    expect(receipt.text).toContain("Check 114");
    expect(receipt.text).not.toContain("Friday");
    await expect(drawer.getByText("Only staff: Promised the rest by Friday")).toBeVisible();
    expect(await camp.mailsTo("bluma@family.example", /Your payment/)).toHaveLength(1);

    await drawer.getByRole("button", { name: "Refund" }).click();
    const refund = page.getByRole("dialog", { name: "Record Refund" });
    await refund.getByLabel("Refund Amount").fill("120.50");
    await expect(refund.getByText("The family gets a corrected receipt by email")).toBeVisible();
    await refund.getByRole("button", { name: "Record refund of $120.50" }).click();
    await expect(toast(page)).toContainText("Refund of $120.50 recorded successfully. Remaining balance: $2,420.50");
    expect((await camp.mailTo("bluma@family.example", /^Corrected receipt .* refund of \$120\.50$/)).text).toContain(
      "Remaining balance: $2,420.50",
    );
    await drawer.getByRole("button", { name: "Adjustment" }).click();
    const adjust = page.getByRole("dialog", { name: "Record Adjustment" });
    await adjust.getByLabel("What it does").selectOption("Adds to what was paid");
    await adjust.getByLabel("Adjustment Amount").fill("79.50");
    await adjust.getByRole("button", { name: /^Record adjustment/ }).click();
    await expect(adjust.getByText("Please add a note that says why.")).toBeVisible();
    await adjust.getByLabel("Only staff see this").fill("Found in an envelope");
    await adjust.getByRole("button", { name: /^Record adjustment/ }).click();
    await expect(toast(page)).toContainText("Adjustment of $79.50 recorded successfully. Remaining balance: $2,341");

    await drawer.getByRole("button", { name: /^Void payment of \$500/ }).click();
    const question = page.getByRole("dialog", { name: "Void this payment?" });
    await question.getByRole("button", { name: "Void payment" }).click();
    await expect(question.getByText("Please give a reason.")).toBeVisible();
    await question.getByLabel("The family sees this").fill("It bounced");
    await question.getByRole("button", { name: "Void payment" }).click();
    await expect(question.getByRole("alert")).toContainText("void the refund first.");
    await expect(question.getByLabel("The family sees this")).toHaveValue("It bounced");
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Discard" }).click();
    await drawer.getByRole("button", { name: /^Void refund of \$120\.50/ }).click();
    await page.getByLabel("The family sees this").fill("Never cashed");
    await page.getByRole("button", { name: "Void refund", exact: true }).click();
    await expect(toast(page)).toContainText("Refund of $120.50 voided. Remaining balance: $2,220.50");
    await drawer.getByRole("button", { name: /^Void payment of \$500/ }).click();
    await question.getByLabel("The family sees this").fill("It bounced");
    await question.getByRole("button", { name: "Void payment" }).click();
    await expect(toast(page)).toContainText("Payment of $500 voided. Remaining balance: $2,720.50");
    const corrected = await camp.mailTo("bluma@family.example", /payment of \$500 voided$/);
    expect(corrected.text).toContain("Reason: It bounced");
    expect(corrected.text).toContain("Remaining balance: $2,720.50");
    await expect(drawer.getByText("Voided")).toHaveCount(2);
    expect(await ledger(page, id)).toEqual([
      ["payment", 50_000],
      ["refund", -12_050],
      ["adjustment", 7_950],
      ["void", 12_050],
      ["void", -50_000],
    ]);
    expect((await detail(page, id)).plan).toMatchObject({ paid_amount: 7_950, total_amount: 280_000 });
  });

  test("the paid amount is never overwritten, and the family sees its plan", async ({ page, camp, somebody }) => {
    await staff(page, camp);
    const { id } = await add(page, "Bluma Yarmush");
    const guest = await somebody();
    await parent(guest, camp, { name: "Bluma", email: "bluma@family.example" });
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Edit Bluma Yarmush" }).click();
    const edit = page.getByRole("dialog", { name: "Edit Bluma Yarmush" });
    await edit.getByLabel("Total Amount").fill("2500");
    await edit.getByLabel("Paid Amount").fill("1000");
    await edit.getByLabel("Due Date").fill("2099-08-31");
    await edit.getByRole("checkbox", { name: "Camp Update" }).check();
    await edit.getByRole("button", { name: "Save All Changes" }).click();
    await expect(edit.getByText("Please add a note that says why the paid amount changes.")).toBeVisible();
    await edit.getByLabel("The family sees this").fill("Paid in the winter");
    await page.route(`**/api/admin/users/${id}`, (route) => route.fulfill({ status: 500, body: "no" }), { times: 1 });
    await edit.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(page)).toContainText("Failed to update user: ");
    await expect(edit.getByLabel("The family sees this")).toHaveValue("Paid in the winter");
    await edit.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(page)).toContainText("User profile and payment information updated successfully");
    expect(await ledger(page, id)).toEqual([["adjustment", 100_000]]);

    await guest.goto("/profile");
    const mine = guest.getByRole("region", { name: "Payment Information" });
    for (const words of ["$2,500", "$1,000", "$1,500", "August 31, 2099", "Paid in the winter"])
      await expect(mine).toContainText(words);
    await expect(guest.getByRole("switch", { name: /^Camp updates/i })).toBeChecked();
  });

  test("the statement and the receipt print on paper", async ({ page, camp }) => {
    await staff(page, camp);
    const { id } = await add(page, "Bluma Yarmush");
    const paid = async (amount: number, date: string, notes: string) =>
      page.request.post(`/api/admin/users/${id}/payments`, {
        data: { kind: "payment", amount, payment_date: date, notes },
        headers: { "Idempotency-Key": randomUUID() },
      });
    for (const [amount, date, notes] of [
      [100_000, "2026-01-05", "Check 114"],
      [50_000, "2026-02-05", `https://bank.example/${"checks".repeat(20)}`],
    ] as const)
      expect((await paid(amount, date, notes)).ok()).toBe(true);
    const fitsPhone = async () => {
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    await page.goto(`/admin/users?user=${id}`);
    await page.getByRole("link", { name: "Statement" }).click();
    await expect(page.getByRole("heading", { name: "Statement" })).toBeVisible();
    const rows = page.getByRole("table").getByRole("row");
    await expect(rows.nth(1)).toContainText(/Jan 5, 2026.*\+\$1,000\s*\$1,800/);
    await expect(rows.nth(2)).toContainText(/Feb 5, 2026.*\+\$500\s*\$1,300/);
    await fitsPhone();
    await page.evaluate(() => (window.print = () => document.body.setAttribute("data-printed", "yes")));
    await page.getByRole("button", { name: "Print" }).click();
    await expect(page.locator("body")).toHaveAttribute("data-printed", "yes");
    const white = await page.getByRole("article").evaluate((paper) => getComputedStyle(paper).backgroundColor);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect(page.getByRole("article"), "paper has no theme").toHaveCSS("background-color", white);
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("link", { name: "Back to the user" })).toBeHidden();
    await expect(page.getByRole("navigation")).toHaveCount(0);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("link", { name: "Back to the user" }).click();
    await page.getByRole("link", { name: /^Receipt of payment of \$500/ }).click();
    await expect(page.getByRole("heading", { name: "Receipt" })).toBeVisible();
    await expect(page.getByRole("article")).toContainText(/Payment received.*\$500/);
    await expect(page.getByRole("article")).toContainText(/Remaining balance.*\$1,300/);
    await fitsPhone();
  });

  test("duplicate families are merged after a preview, and one is deleted for good", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    const [one, other] = [await add(page, "Bluma Yarmush"), await add(page, "Blima Yarmush")];
    const video = await posted(page, { title: "Campfire" });
    const guest = await somebody();
    await parent(guest, camp, { name: "Blima Yarmush", email: "blima@family.example" });
    await call(guest.request, "POST", `/api/videos/${video.id}/comments`, { content: "There he is!" });
    await call(page.request, "POST", `/api/admin/users/merge`, { keep: one.id, drop: other.id, preview: true });

    await page.goto(`/admin/users?user=${one.id}`);
    await page.getByRole("button", { name: "Merge with another user" }).click();
    const merge = page.getByRole("dialog", { name: "Merge two users" });
    await merge.getByRole("button", { name: /^Blima Yarmush/ }).click();
    await merge.getByRole("radio", { name: /^Both together/ }).check();
    await expect(merge).toContainText("$0 of $5,600");
    await expect(merge).toContainText("1 login, 0 ledger rows, 1 comment");
    expect((await detail(page, other.id)).full_name).toBe("Blima Yarmush");
    await merge.getByRole("button", { name: "Merge the two" }).click();
    await expect(toast(page)).toContainText("Blima Yarmush is now part of Bluma Yarmush.");
    expect((await page.request.get(`/api/admin/users/${other.id}`)).status()).toBe(404);
    expect(await detail(page, one.id)).toMatchObject({
      logins: 1,
      email: "bluma@family.example",
      secondary_email: "blima@family.example",
      plan: { total_amount: 560_000 },
    });
    await guest.goto("/profile");
    await expect(guest.getByRole("region", { name: "Payment Information" })).toContainText("$5,600");

    await page
      .getByRole("dialog", { name: "Bluma Yarmush", exact: true })
      .getByRole("button", { name: "Delete user" })
      .click();
    const question = page.getByRole("dialog", { name: "Delete user" });
    await expect(question).toContainText(
      "Are you sure you want to delete Bluma Yarmush? This action cannot be undone.",
    );
    await question.getByRole("button", { name: "Delete user" }).click();
    await expect(toast(page)).toContainText("Bluma Yarmush has been removed from the system");
    await expect(page.getByText("No users yet")).toBeVisible();
    await guest.goto(`/video/${video.id}`);
    await expect(guest.getByRole("region", { name: "Comments" }).getByRole("listitem")).toContainText(
      /Former member.*There he is!/s,
    );
    await expect(account(guest, "Blima Yarmush")).toBeHidden();
    await signInLink(guest).click();
    await signIn(guest, "blima@family.example");
    await expect(guest.getByRole("main").getByRole("alert")).toBeVisible();
  });

  test("a payment is recorded without a mouse", async ({ page, camp }) => {
    await staff(page, camp);
    const { id } = await add(page, "Bluma Yarmush");
    await page.goto("/admin/users");
    const cash = page.getByRole("button", { name: "Add payment for Bluma Yarmush" });
    await tabTo(page, cash);
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Payment Amount")).toBeFocused();
    await page.keyboard.type("250");
    await page.keyboard.press("Enter");
    await expect(toast(page)).toContainText("Payment of $250 recorded successfully. Remaining balance: $2,550");
    await expect(cash).toBeFocused();
    expect(await ledger(page, id)).toEqual([["payment", 25_000]]);
    await tabTo(page, page.getByRole("button", { name: "Bluma Yarmush" }).first(), "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Bluma Yarmush" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "Bluma Yarmush" })).toBeHidden();
  });

  for (const [where, viewport] of [
    ["on a phone", { width: 390, height: 844 }],
    ["at a desk", { width: 1280, height: 800 }],
  ] as const) {
    test(`the office compares its deposits with the payments of a day, ${where}`, async ({ page, camp }) => {
      await page.setViewportSize(viewport);
      await staff(page, camp, "rabbi", "owner");
      const { today } = await call<Schemas["Site"]>(page.request, "GET", "/api/site");
      const record = (id: string, body: Schemas["NewPayment"]) =>
        page.request
          .post(`${camp.url}/api/admin/users/${id}/payments`, {
            data: body,
            headers: { "Idempotency-Key": randomUUID(), Origin: camp.url },
          })
          .then((reply) => expect(reply.status()).toBe(201));
      const [bluma, adina] = [await add(page, "Bluma Yarmush"), await add(page, "Adina Zehner")];
      const earlier = "2026-01-15";
      await record(bluma.id, { kind: "payment", amount: 50_000, payment_date: today });
      await record(adina.id, { kind: "payment", amount: 12_050, payment_date: today, notes: "Check 114" });
      await record(adina.id, { kind: "payment", amount: 100_000, payment_date: earlier });

      await page.goto("/admin/users");
      if (viewport.width < 1000) await page.getByRole("button", { name: "Open menu" }).click();
      await page.getByRole("link", { name: "Payments" }).click();
      const rows = page.getByRole("list", { name: "Payments" }).getByRole("listitem");
      await expect(rows).toHaveCount(3);
      await page.getByRole("button", { name: "Today" }).click();
      await expect(page).toHaveURL(`/admin/payments?from=${today}&to=${today}`);
      await expect(rows).toHaveCount(2);
      await expect(page.getByText("$620.50", { exact: true })).toBeVisible();
      await expect(rows.filter({ hasText: "Adina Zehner" })).toContainText("Check 114");
      await isSound(page, `payments ${where}`);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export CSV" }).click(),
      ]);
      const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
      expect(lines).toHaveLength(3);
      expect(lines[1]).toContain(`${today},Payment,500.00,Bluma Yarmush,Lipa`);
      await rows.getByRole("link", { name: "Adina Zehner" }).click();
      await expect(page.getByRole("dialog", { name: "Adina Zehner", exact: true })).toContainText("+$1,000");
    });
  }
});
