import {
  account,
  call,
  expect,
  linkTo,
  parent,
  password,
  signIn,
  signInLink,
  signUp,
  staff,
  test,
  toast,
} from "./support/camp";
import type { Page } from "@playwright/test";
import { readFileSync } from "node:fs";

const section = (page: Page, name: string) => page.getByRole("region", { name });
const chaya = { name: "Chaya Feder", email: "chaya@family.example", child: "Mendy" };

test("a family corrects its names and chooses its emails, and the changes are kept", async ({ page, camp }) => {
  await page.goto("/profile");
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await parent(page, camp, chaya);
  await page.context().clearCookies();
  await page.reload();
  await signIn(page, chaya.email);
  await expect(page.getByRole("heading", { name: "Your profile" })).toBeVisible();

  const personal = section(page, "Personal Information");
  await expect(personal.getByLabel("Full name")).not.toBeEditable();
  await expect(personal.getByLabel("Primary email")).not.toBeEditable();
  await expect(personal.getByLabel("Primary email")).toHaveValue(chaya.email);
  await personal.getByRole("button", { name: "Edit" }).click();
  await expect(personal.getByLabel("Full name")).toBeFocused();
  await personal.getByLabel("Full name").fill("Chaya Feder-Klein");
  await personal.getByLabel("Child's name").fill("Mendy & Shloimy");
  await personal.getByRole("button", { name: "Save" }).click();
  await expect(toast(page)).toContainText("Profile Updated!");
  await expect(toast(page)).toContainText("Your profile settings have been saved successfully.");
  await expect(account(page, "Chaya Feder-Klein")).toBeVisible();
  await expect(personal.getByRole("button", { name: "Edit" })).toBeVisible();

  const preferences = section(page, "Email Preferences");
  await preferences.getByRole("switch", { name: "Daily videos" }).uncheck();
  await preferences.getByRole("switch", { name: "Camp updates" }).check();
  await expect(page.getByText("Not saved yet")).toBeInViewport();
  await page.getByRole("button", { name: "Save All Changes" }).dblclick();
  await expect(page.getByText("Not saved yet")).toBeHidden();
  await page.reload();
  await expect(preferences.getByRole("switch", { name: "Daily videos" })).not.toBeChecked();
  await expect(preferences.getByRole("switch", { name: "Camp updates" })).toBeChecked();
  await expect(personal.getByLabel("Child's name")).toHaveValue("Mendy & Shloimy");

  await expect(section(page, "Payment Information")).toContainText(
    "No payment plan found. Please contact camp administration.",
  );
  await page.getByRole("main").getByRole("button", { name: "Sign Out", exact: true }).click();
  await expect(toast(page)).toContainText("Signed Out");
  await expect(page).toHaveURL(/\/$/);
  await expect(signInLink(page)).toBeVisible();
});

test("a second address counts once its owner agrees, and can then have its own login", async ({
  page,
  camp,
  somebody,
}) => {
  const father = await somebody();
  await parent(page, camp, chaya);
  await page.goto("/profile");
  const personal = section(page, "Personal Information");
  await personal.getByLabel("Secondary email").fill("not an address");
  await page.getByRole("button", { name: "Save All Changes" }).click();
  await expect(personal.getByLabel("Secondary email")).toHaveAttribute("aria-invalid", "true");
  await expect(personal.getByLabel("Secondary email")).toBeFocused();
  await personal.getByLabel("Secondary email").fill("dovid@family.example");
  await page.getByRole("button", { name: "Save All Changes" }).click();
  await expect(personal.getByText("Waiting for confirmation")).toBeVisible();

  await father.goto(linkTo("/auth/verify", await camp.mailTo("dovid@family.example", /Join a family/)));
  await expect(
    father.getByText(
      "Chaya Feder, who signs in as chaya@family.example, wants to add your address dovid@family.example to their family.",
    ),
  ).toBeVisible();
  await father.getByRole("button", { name: "Confirm my email" }).click();
  await expect(father.getByRole("heading", { name: "Your email is confirmed" })).toBeVisible();
  await camp.mailTo(chaya.email, /has a second address/);
  await page.reload();
  await expect(personal.getByText("Confirmed", { exact: true })).toBeVisible();
  await expect(
    section(page, "Email Settings").getByRole("listitem").filter({ hasText: "dovid@family.example" }),
  ).toContainText("Confirmed");

  await signUp(father, { name: "Dovid Feder", email: "dovid@family.example" });
  await father.goto("/profile");
  await expect(section(father, "Personal Information").getByLabel("Full name")).toHaveValue("Dovid Feder");
  await expect(
    section(father, "Personal Information").getByLabel("Primary email"),
    "not before it is his for sure",
  ).toHaveValue("dovid@family.example");
  await father.goto(linkTo("/auth/verify", await camp.mailTo("dovid@family.example", /Please confirm your email/)));
  await father.getByRole("button", { name: "Confirm my email" }).click();
  await expect(toast(father)).toContainText("Your account has been created and linked to your pre-existing profile.");
  await father.goto("/profile");
  await expect(section(father, "Personal Information").getByLabel("Primary email")).toHaveValue(chaya.email);
  await camp.mailTo(chaya.email, /Someone joined your family/);

  await page.reload();
  await personal.getByLabel("Secondary email").fill("");
  await personal.getByLabel("Your password").fill("not this one");
  await page.getByRole("button", { name: "Save All Changes" }).click();
  await expect(personal.getByLabel("Your password")).toBeFocused();
  await expect(personal.getByText("This is not your current password.")).toBeVisible();
  await personal.getByLabel("Your password").fill(password);
  await page.getByRole("button", { name: "Save All Changes" }).click();
  await expect(toast(page)).toContainText("Profile Updated!");
  await expect(personal.getByLabel("Your password")).toBeHidden();
  await camp.mailTo("dovid@family.example", /Your address was removed from a family/);
});

test("a family sees the balance and payments that staff recorded", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  const { id } = await call<{ id: string }>(desk.request, "POST", "/api/admin/users", {
    full_name: chaya.name,
    child_name: chaya.child,
    email: chaya.email,
  });
  const link = linkTo("/auth", await camp.mailTo(chaya.email, /invited/));
  await page.goto(link);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(account(page, chaya.name)).toBeVisible();
  await page.goto("/profile");
  const payments = section(page, "Payment Information");
  await expect(payments).toContainText("$2,800");
  await expect(payments).toContainText("Payment Due");
  await expect(payments.getByText("No payments yet.")).toBeVisible();

  const pay = (amount: number, more: object = {}, key = crypto.randomUUID()) =>
    desk.request.post(`/api/admin/users/${id}/payments`, {
      headers: { "idempotency-key": key },
      data: {
        kind: "payment",
        amount,
        payment_date: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
        ...more,
      },
    });
  const key = crypto.randomUUID();
  for (const answer of [
    await pay(100_000, { notes: "Check 1042" }, key),
    await pay(100_000, { notes: "Check 1042" }, key),
    await pay(40_000),
  ])
    expect(answer.ok()).toBe(true);
  await page.reload();
  await expect(payments.getByRole("progressbar", { name: "Paid" })).toHaveAttribute("aria-valuenow", "50");
  await expect(payments.getByRole("definition").filter({ hasText: "$1,400" })).toHaveCount(1);
  const history = payments.getByRole("group", { name: "Payment history" });
  await expect(history.getByRole("listitem")).toHaveCount(2);
  await expect(history).toContainText("Check 1042");
  expect(await history.evaluate((list) => getComputedStyle(list).maxHeight)).toBe("240px");
  const receipt = await camp.mailTo(chaya.email, /Your payment of \$1,000/);
  expect(receipt.text).toMatch(/\$1,800(\.00)?\b/);

  await pay(140_000);
  await page.reload();
  await expect(payments.getByText("Paid in Full")).toBeVisible();
  await expect(payments).toContainText("100%");
});

test("a person manages their own login: devices, password, address, data and deletion", async ({
  page,
  camp,
  somebody,
}) => {
  const phone = await somebody({
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  });
  await parent(page, camp, chaya);
  await phone.goto("/auth");
  await signIn(phone, chaya.email);
  await expect(account(phone, chaya.name)).toBeVisible();
  await page.goto("/profile");

  await test.step("one device is signed out from another", async () => {
    const devices = section(page, "Where you are signed in");
    await expect(devices.getByRole("listitem")).toHaveCount(2);
    await devices.getByRole("button", { name: /^Sign Out Phone/ }).click();
    await expect(devices.getByRole("listitem")).toHaveCount(1);
    await expect(devices.getByRole("listitem")).toContainText("This device");
    await phone.goto("/profile");
    await expect(phone.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  });

  const own = section(page, "Your account");
  const dialog = page.getByRole("dialog");
  await test.step("a new password needs the old one", async () => {
    await own.getByRole("button", { name: "Change password" }).click();
    await dialog.getByLabel("Current password").fill("not this one");
    await dialog.getByLabel("New password").fill("a lantern on the dock");
    await dialog.getByRole("button", { name: "Change password" }).click();
    await expect(dialog.getByLabel("Current password")).toHaveAttribute("aria-invalid", "true");
    await expect(dialog.getByLabel("New password")).toHaveValue("a lantern on the dock");
    await dialog.getByLabel("Current password").fill(password);
    await dialog.getByRole("button", { name: "Change password" }).click();
    await expect(toast(page)).toContainText("Password changed");
    await camp.mailTo(chaya.email, /password .* was changed/);
  });

  await test.step("a new address counts once its link is confirmed, and the old one is told", async () => {
    await section(page, "Personal Information").getByRole("button", { name: "Change your email" }).click();
    await dialog.getByLabel("New email").fill("chaya.klein@family.example");
    await dialog.getByLabel("Your password").fill("a lantern on the dock");
    await dialog.getByRole("button", { name: "Send the confirmation" }).click();
    await expect(toast(page)).toContainText("We emailed chaya.klein@family.example.");
    await expect(section(page, "Personal Information").getByLabel("Primary email")).toHaveValue(chaya.email);
    await page.goto(linkTo("/auth/verify", await camp.mailTo("chaya.klein@family.example", /confirm your new email/)));
    await page.getByRole("button", { name: "Confirm my email" }).click();
    await expect(page.getByRole("heading", { name: "Your email is confirmed" })).toBeVisible();
    await camp.mailTo(chaya.email, /email .* was changed/);
    await page.goto(linkTo("/auth/verify", await camp.mailTo("chaya.klein@family.example", /confirm your new email/)));
    await expect(page.getByText("This link to change your email was already used or has expired.")).toBeVisible();
    await expect(page.getByText("You sign in as chaya.klein@family.example.")).toBeVisible();
    await page.goto("/profile");
    await expect(section(page, "Email Settings").getByText("chaya.klein@family.example").first()).toBeVisible();
  });

  await test.step("all data can be downloaded", async () => {
    const file = page.waitForEvent("download");
    await own.getByRole("link", { name: "Download my data" }).click();
    const data = readFileSync(await (await file).path(), "utf8");
    expect(() => JSON.parse(data) as unknown).not.toThrow();
    for (const words of [chaya.name, chaya.child, "chaya.klein@family.example"]) expect(data).toContain(words);
    expect(data).not.toMatch(/argon2|password_hash/);
  });

  await test.step("the account can be deleted", async () => {
    await own.getByRole("button", { name: "Delete my account" }).click();
    await expect(dialog).toContainText("The camp keeps the family record with its payment plan and payments.");
    await dialog.getByLabel("Your password").fill(password);
    await dialog.getByRole("button", { name: "Delete my account" }).click();
    await expect(dialog.getByLabel("Your password")).toHaveAttribute("aria-invalid", "true");
    await dialog.getByLabel("Your password").fill("a lantern on the dock");
    await dialog.getByRole("button", { name: "Delete my account" }).click();
    await expect(toast(page)).toContainText("Account deleted");
    await expect(signInLink(page)).toBeVisible();
    await page.goto("/auth");
    await signIn(page, "chaya.klein@family.example", "a lantern on the dock");
    await expect(page.getByRole("alert")).toBeVisible();
  });
});
