import type { components } from "../src/api/schema.gen";
import { call, expect, linkTo, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];
type Board = { attention: Schemas["DashboardAttention"] };

test.use({ post: "smtp" });

const add = (page: Page, full_name: string, email: string) =>
  call<Schemas["FamilyRow"]>(page.request, "POST", "/api/admin/users", { full_name, email, child_name: "Lipa" });
const attention = async (page: Page) => (await call<Board>(page.request, "GET", "/api/admin/dashboard")).attention;

test("email that did not arrive is counted, found, corrected and sent again", async ({ page, camp }) => {
  await staff(page, camp);
  camp.refuseMailTo("bluma@family.example");
  camp.nobodyHas("perl@family.example", "zev@family.example");
  await add(page, "Bluma Yarmush", "bluma@family.example");
  await add(page, "Perl Erlenbrunn", "perl@family.example");
  await add(page, "Zev Honigtal", "zev@family.example");
  await expect.poll(async () => (await attention(page)).failed_mails).toBe(3);

  const waiting = page.getByRole("region", { name: "What needs attention now" });
  const rows = page.getByRole("main").getByRole("listitem");
  await page.goto("/admin/dashboard");
  await waiting.getByRole("link", { name: "3 emails failed in the last seven days" }).click();
  await expect(page).toHaveURL(/\/admin\/mail\?about=other$/);
  await expect(rows).toHaveCount(3);
  const bluma = rows.filter({ hasText: "bluma@family.example" });
  await expect(bluma).toContainText(/Invitation.*Bluma Yarmush.*Looks like spam/s);
  await expect(rows.filter({ hasText: "perl@family.example" })).toContainText(/Address refused.*No such user here/s);
  await isSound(page, "failed mails");

  await test.step("it is sent again once the mail server accepts it", async () => {
    camp.refuseMailTo();
    await bluma.getByRole("button", { name: "Send again" }).click();
    await expect(toast(page)).toContainText("1 email on the way again");
    linkTo("/auth", await camp.mailTo("bluma@family.example", /./));
    await expect(rows).toHaveCount(2);
    await page.getByLabel("About").selectOption("Videos");
    await expect(page).toHaveURL(/\?about=videos$/);
    await expect(page.getByText("No emails failed in the last seven days")).toBeVisible();
  });

  await test.step("one address is corrected, and mail to another is allowed again", async () => {
    await page.goto("/admin/dashboard");
    await waiting.getByRole("link", { name: "2 addresses refused our emails" }).click();
    await expect(page).toHaveURL(/\/admin\/mail\?show=addresses$/);
    await expect(rows).toHaveCount(2);
    await isSound(page, "refused addresses");
    await rows.filter({ hasText: "perl@family.example" }).getByRole("button", { name: "Correct" }).click();
    const drawer = page.getByRole("dialog", { name: "Edit Perl Erlenbrunn" });
    await drawer.getByLabel("Email", { exact: true }).fill("perl@home.example");
    await drawer.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(page)).toContainText("User Updated");
    await expect(rows).toHaveCount(1);
    camp.nobodyHas();
    await rows.getByRole("button", { name: "Allow emails" }).click();
    await expect(toast(page)).toContainText("We’ll send emails to zev@family.example again");
    await expect(page.getByText("No address has refused our emails")).toBeVisible();
    expect(await attention(page)).toMatchObject({ suppressed_addresses: 0, failed_mails: 2 });
  });

  await test.step("all other emails go out at once", async () => {
    await page.getByRole("button", { name: /^Failed emails/ }).click();
    await page.getByRole("button", { name: "Send all 2 again" }).click();
    await camp.mailTo("zev@family.example", /./);
    await expect(page.getByText("No emails failed in the last seven days")).toBeVisible();
    expect(await attention(page)).toMatchObject({ suppressed_addresses: 0, failed_mails: 0 });
  });
});
