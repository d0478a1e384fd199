import { createHmac } from "node:crypto";
import type { Page } from "@playwright/test";
import { call, expect, hire, linkTo, password, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";

const fresh = "seven tall cedars";
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const dialog = (page: Page) => page.getByRole("dialog");

async function signIn(page: Page, username: string, secret: string) {
  await page.goto("/admin/login");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign In" }).click();
}

const isIn = (page: Page) => expect(page.getByRole("navigation", { name: "Staff area" })).toBeVisible();

/** What an authenticator app shows (RFC 6238). */
function totp(secret: string, at = Date.now()) {
  const bits = [...secret]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac("sha1", key).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("owners manage the staff accounts", async ({ page, camp, somebody }) => {
  await staff(page, camp, "miriam", "owner");
  await page.goto("/admin/admin-management");
  const other = await somebody();

  await test.step("the last owner cannot be demoted or deleted", async () => {
    const refused = async (what: "Delete" | "Disable") => {
      await row(page, "miriam")
        .getByRole("button", { name: `${what} miriam` })
        .click();
      await expect(
        dialog(page).getByText(`Cannot ${what.toLowerCase()} the last admin account`, { exact: true }),
      ).toBeVisible();
      await expect(dialog(page).getByLabel("Your current password")).toBeHidden();
      await page.keyboard.press("Escape");
    };
    await expect(row(page, "miriam").getByRole("button", { name: "Delete miriam" })).toBeDisabled();
    hire(camp, "feder", "staff");
    await page.reload();
    await refused("Delete");
    await refused("Disable");
  });

  await test.step("an account is added and signs in", async () => {
    await page.getByRole("button", { name: "Add Admin Account" }).click();
    const form = page.getByRole("form", { name: "Add an account" });
    await form.getByLabel("Username").fill("weber");
    await form.getByLabel("Email").fill("weber@camp.example");
    await form.getByLabel("Password", { exact: true }).fill(password);
    await form.getByLabel("Your current password").fill(password);
    await form.getByRole("button", { name: "Add account" }).click();
    await expect(toast(page)).toContainText("Admin account created successfully");
    await signIn(other, "weber", password);
    await isIn(other);
    await other.goto("/admin/admin-management");
    await expect(other.getByText("Only owners can see this page")).toBeVisible();
  });

  await test.step("its session is listed and ended", async () => {
    await row(page, "weber").getByRole("button", { name: "Sessions of weber" }).click();
    await isSound(page, "the sessions of an account");
    await dialog(page)
      .getByRole("button", { name: /^Sign Out Computer/ })
      .click();
    const question = page.getByRole("dialog", { name: "End this session?" });
    await isSound(page, "the question before a session ends");
    await question.getByLabel("Your current password").fill("not my password");
    await question.getByRole("button", { name: "Sign Out" }).click();
    await expect(question.getByText("This is not your current password.")).toBeVisible();
    expect((await other.request.get("/api/admin/sessions")).status()).toBe(200);
    await question.getByLabel("Your current password").fill(password);
    await question.getByRole("button", { name: "Sign Out" }).click();
    await expect(dialog(page).getByText("Not signed in anywhere")).toBeVisible();
    await page.keyboard.press("Escape");
    expect((await other.request.get("/api/admin/sessions")).status()).toBe(401);
  });

  await test.step("it is renamed, and made an owner", async () => {
    await row(page, "weber").getByRole("button", { name: "Edit weber" }).click();
    const form = page.getByRole("form", { name: "Edit weber" });
    await form.getByLabel("Username").fill("weberin");
    await form.getByLabel("Role").selectOption({ label: "Owner" });
    await form.getByLabel("Your current password").fill(password);
    await form.getByRole("button", { name: "Save account" }).click();
    await expect(row(page, "weberin")).toContainText("Owner");
    await signIn(other, "weberin", password);
    await isIn(other);
    await other.goto("/admin/admin-management");
    await expect(row(other, "miriam")).toBeVisible();
  });

  await test.step("once disabled, it is signed out and stays out", async () => {
    await row(page, "weberin").getByRole("button", { name: "Disable weberin" }).click();
    await dialog(page).getByLabel("Your current password").fill(password);
    await dialog(page).getByRole("button", { name: "Disable account" }).click();
    await expect(row(page, "weberin")).toContainText("Disabled");
    expect((await other.request.get("/api/admin/accounts")).status()).toBe(401);
    await row(page, "weberin").getByRole("button", { name: "Enable weberin" }).click();
    await dialog(page).getByLabel("Your current password").fill(password);
    await isSound(page, "the question before an account is enabled");
    await dialog(page).getByRole("button", { name: "Enable account" }).click();
    await expect(row(page, "weberin")).not.toContainText("Disabled");
  });

  await test.step("it gets a link by mail and chooses a password", async () => {
    await row(page, "weberin")
      .getByRole("button", { name: /^Email weberin/ })
      .click();
    await dialog(page).getByLabel("Your current password").fill(password);
    await dialog(page).getByRole("button", { name: "Send the link" }).click();
    await other.goto(linkTo("/auth/reset", await camp.mailTo("weber@camp.example", /Choose a new password/)));
    await other.getByLabel("New password").fill(fresh);
    await other.getByRole("button", { name: "Save new password" }).click();
    await expect(other).toHaveURL(/\/admin\/login$/);
    await camp.mailTo("weber@camp.example", /staff password .* was changed/);
    await signIn(other, "weberin", fresh);
    await isIn(other);
  });
});

test("staff manage their own sign-in", async ({ page, camp, somebody }) => {
  await staff(page, camp, "feder", "staff");
  const phone = await somebody();
  await signIn(phone, "feder", password);
  await isIn(phone);
  await camp.mailTo("feder@camp.example", /new sign-in/);
  await page.goto("/admin/reports");

  await test.step("everything is behind the person's own name, on a phone too", async () => {
    await page.getByRole("complementary").getByRole("link", { name: "feder" }).click();
    await expect(page).toHaveURL(/\/admin\/account$/);
    await isSound(page, "the own account");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/admin/reports");
    await page.getByRole("banner").getByRole("link", { name: "Your account" }).click();
    for (const part of ["Change password", "Set up two-factor"]) {
      await expect(page.getByRole("button", { name: part })).toBeInViewport();
    }
    await expect(page.getByRole("heading", { name: "Where you are signed in" })).toBeInViewport();
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await test.step("a new password ends the other session", async () => {
    await page.getByRole("button", { name: "Change password" }).click();
    await dialog(page).getByLabel("Current password").fill(password);
    await dialog(page).getByLabel("New password").fill(fresh);
    await isSound(page, "the own password");
    await dialog(page).getByRole("button", { name: "Change password" }).click();
    await expect(toast(page)).toContainText("All other devices are signed out.");
    expect((await phone.request.get("/api/admin/sessions")).status()).toBe(401);
  });

  await test.step("a code of an authenticator app is asked for once it is set up", async () => {
    await signIn(phone, "feder", fresh);
    await isIn(phone);
    await page.getByRole("button", { name: "Set up two-factor" }).click();
    await dialog(page).getByLabel("Your password").fill(fresh);
    await dialog(page).getByRole("button", { name: "Continue" }).click();
    await dialog(page).getByText("Cannot scan it?").click();
    const secret = (await dialog(page).locator("code").innerText()).replace(/\s/g, "");
    await dialog(page).getByLabel("First code").fill(totp(secret));
    await dialog(page).getByRole("button", { name: "Turn on two-factor" }).click();
    await dialog(page).getByLabel("I saved my recovery codes").check();
    await dialog(page).getByRole("button", { name: "Continue" }).click();
    expect((await phone.request.get("/api/admin/sessions")).status()).toBe(401);
    await camp.mailTo("feder@camp.example", /Two-factor was turned on/);
    await signIn(phone, "feder", fresh);
    // Uses the next code, because each code works once. The server accepts a clock that is half a minute off.
    await phone.getByLabel("Code").fill(totp(secret, Date.now() + 30_000));
    await phone.getByRole("button", { name: "Sign In" }).click();
    await isIn(phone);
  });
});

test("recovery codes are replaced while two-factor stays on", async ({ page, camp, somebody }) => {
  await staff(page, camp, "feder", "staff");
  const begun = await call<{ secret: string }>(page.request, "POST", "/api/admin/two-factor", {
    current_password: password,
  });
  const secret = begun.secret.replace(/\s/g, "");
  const { recovery_codes: earlier } = await call<{ recovery_codes: string[] }>(
    page.request,
    "POST",
    "/api/admin/two-factor/confirm",
    { code: totp(secret) },
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/account");
  await expect(page.getByText("10 left")).toBeVisible();
  await isSound(page, "the own account with two-factor");
  await page.getByRole("button", { name: "New recovery codes" }).click();
  await isSound(page, "new recovery codes");
  await dialog(page).getByLabel("Your password").fill("not my password");
  await dialog(page)
    .getByLabel("Code")
    .fill(totp(secret, Date.now() + 30_000));
  await dialog(page).getByRole("button", { name: "Make new codes" }).click();
  await expect(dialog(page).getByText("This is not your current password.")).toBeVisible();
  await dialog(page).getByLabel("Your password").fill(password);
  await dialog(page).getByRole("button", { name: "Make new codes" }).click();
  const list = dialog(page).getByRole("list", { name: "Recovery codes" });
  await expect(list.getByRole("listitem")).toHaveCount(10);
  await isSound(page, "the new recovery codes");
  const renewed = await list.getByRole("listitem").allInnerTexts();
  await dialog(page).getByLabel("I saved my recovery codes").check();
  await dialog(page).getByRole("button", { name: "Continue" }).click();
  await expect(toast(page)).toContainText("The earlier ones no longer work.");
  await camp.mailTo("feder@camp.example", /New recovery codes/);

  const phone = await somebody();
  await signIn(phone, "feder", password);
  for (const [code, works] of [
    [earlier[0]!, false],
    [renewed[0]!, true],
  ] as const) {
    await phone.getByLabel("Code").fill(code);
    await phone.getByRole("button", { name: "Sign In" }).click();
    if (works) await isIn(phone);
    else await expect(phone.getByText("This code is incorrect or was already used.")).toBeVisible();
  }
  await page.reload();
  await expect(page.getByText("9 left")).toBeVisible();
});
