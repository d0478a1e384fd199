import {
  account,
  call,
  expect,
  hold,
  parent,
  password,
  posted,
  signIn,
  signInLink,
  staff,
  test,
  toast,
  told,
} from "./support/camp";
import type { Page } from "@playwright/test";

const welcome = (page: Page) => page.getByRole("dialog", { name: "Welcome to Visiting Day!" });
const card = (page: Page) => page.getByRole("complementary", { name: "Know when tonight’s video is up" });

test.describe("The welcome", () => {
  test.use({ newcomers: true });

  /** Opens Home as a new visitor, with a clock that the test moves. */
  async function arrive(page: Page, address = "/") {
    await page.clock.install();
    await page.goto(address);
    await expect(signInLink(page)).toBeVisible();
    if (address === "/") await expect(card(page)).toBeVisible();
  }

  test("fits the narrowest phone with text twice as large", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await arrive(page);
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    await page.clock.runFor(20_000);
    const dialog = welcome(page);
    const next = dialog.getByRole("button", { name: "Next Step" });
    const fits = async () =>
      expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    await dialog.getByRole("radio", { name: "Parent" }).check();
    await fits();
    await next.click();
    await dialog.getByLabel("Your Name").fill("Chaya Feder");
    await dialog.getByLabel("Child's Name").fill("Yossi");
    await dialog.getByLabel("Email").fill("chaya@family.example");
    await dialog.getByLabel("Password", { exact: true }).fill(password);
    await fits();
    await next.click();
    await expect(dialog.getByRole("heading", { name: "Which emails would you like?" })).toBeVisible();
    await fits();
  });

  test("appears after fifteen seconds, leads to an account in three steps, and never returns for this family", async ({
    page,
    camp,
    somebody,
  }) => {
    await arrive(page);
    // The clock also runs on its own, on a busy machine by seconds at each step.
    await page.clock.pauseAt(Date.now() + 2_000);
    await page.clock.runFor(2_000);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.clock.runFor(60_000);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: false, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.clock.runFor(2_000);
    await expect(welcome(page)).toBeHidden();
    await page.clock.runFor(10_000);
    await page.clock.resume();
    await expect(welcome(page)).toBeVisible();

    const dialog = welcome(page);
    const next = dialog.getByRole("button", { name: "Next Step" });
    await test.step("who are you", async () => {
      await expect(dialog.getByRole("heading", { name: "Who are you?" })).toBeFocused();
      await expect(next).toBeDisabled();
      await expect(dialog.getByRole("button", { name: "Back" })).toBeHidden();
      await dialog.getByRole("radio", { name: "Visitor" }).check();
      await next.click();
      await expect(dialog.getByLabel("Child's Name")).toBeHidden();
      await dialog.getByRole("button", { name: "Back" }).click();
      await dialog.getByRole("radio", { name: "Parent" }).check();
      await next.click();
    });
    await test.step("your details, of which none is lost on the way back", async () => {
      for (const [label, value] of [
        ["Your Name", "Chaya Feder"],
        ["Child's Name", "Mendy"],
        ["Email", "chaya@family.example"],
        ["Password", password],
      ] as const) {
        await expect(next).toBeDisabled();
        await dialog.getByLabel(label, { exact: true }).fill(value);
      }
      await next.click();
      await dialog.getByRole("button", { name: "Back" }).click();
      await expect(dialog.getByLabel("Child's Name")).toHaveValue("Mendy");
      await next.click();
    });
    await test.step("which emails do you want", async () => {
      await expect(dialog.getByRole("checkbox", { name: "Daily videos" })).toBeChecked();
      await expect(dialog.getByRole("checkbox", { name: "Camp updates" })).not.toBeChecked();
      await expect(dialog.getByRole("checkbox", { name: "Newsletters from camp" })).toBeChecked();
      await dialog.getByRole("checkbox", { name: "Camp updates" }).check();
      const letGo = await hold(page, "**/api/auth/sign-up");
      await dialog.getByRole("button", { name: "Create Account" }).click();
      await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeVisible();
      letGo();
      await expect(toast(page)).toContainText("Welcome to Visiting Day!");
      await expect(toast(page)).toContainText("Your account has been created and you are now signed in!");
      await expect(dialog).toBeHidden();
      await expect(account(page, "Chaya Feder")).toBeVisible();
    });
    const profile = await call<Record<string, unknown>>(page.request, "GET", "/api/profile");
    expect(profile).toMatchObject({
      child_name: "Mendy",
      user_type: "parent",
      camp_updates_email: true,
      daily_video_email: true,
      email_notifications: true,
    });
    await camp.mailTo("chaya@family.example", /Please confirm/);

    await test.step("it does not appear on her other device, even after she signs out there", async () => {
      const phone = await somebody();
      await arrive(phone, "/auth");
      await signIn(phone, "chaya@family.example");
      await expect(account(phone, "Chaya Feder")).toBeVisible();
      await phone.clock.runFor(30_000);
      await phone.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
      await expect(signInLink(phone)).toBeVisible();
      await phone.clock.runFor(30_000);
      await expect(welcome(phone)).toBeHidden();
    });
  });

  test("appears once per device, however it is closed, and never over a player", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    const film = await posted(desk, { title: "Campfire" });
    await arrive(page, `/video/${film.id}`);
    await page.getByRole("button", { name: "Play Campfire" }).click();
    await page.clock.runFor(60_000);
    await expect(welcome(page)).toBeHidden();

    await page.goto("/");
    await expect(card(page)).toBeVisible();
    await page.clock.runFor(16_000);
    await expect(welcome(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(welcome(page)).toBeHidden();
    await page.reload();
    await expect(card(page)).toBeVisible();
    await page.clock.runFor(60_000);
    await expect(welcome(page)).toBeHidden();
  });

  test("keeps what was typed when the server refuses it, and says why", async ({ page, camp, somebody }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await arrive(page);
    await page.clock.runFor(16_000);
    const dialog = welcome(page);
    await dialog.getByRole("radio", { name: "Visitor" }).check();
    await dialog.getByRole("button", { name: "Next Step" }).click();
    await dialog.getByLabel("Your Name").fill("Bubby Feder");
    await dialog.getByLabel("Email").fill("chaya@family.example");
    await dialog.getByLabel("Password", { exact: true }).fill("short");
    await dialog.getByRole("button", { name: "Next Step" }).click();
    await page.route("**/api/auth/sign-up", (route) => route.abort(), { times: 1 });
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await expect(toast(page)).toContainText("Sign Up Error");
    await expect(dialog.getByRole("alert")).toContainText("The camp's server cannot be reached right now.");

    await dialog.getByRole("button", { name: "Create Account" }).click();
    await expect(dialog.getByLabel("Password", { exact: true })).toBeFocused();
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveAccessibleDescription(/8 characters/);
    await dialog.getByLabel("Password", { exact: true }).fill(password);
    await dialog.getByRole("button", { name: "Next Step" }).click();
    await dialog.getByRole("button", { name: "Create Account" }).click();
    await expect(toast(page)).toContainText("already registered");
    await expect(dialog).toBeVisible();
  });
});

test.describe("The notifications card", () => {
  test("leads a stranger to an account, and lets a family choose its mail", async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    await page.goto("/");
    await card(page).getByRole("link", { name: "Sign in here" }).click();
    await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
    await page.goBack();
    await card(page).getByRole("link", { name: "Sign Up for Notifications" }).click();
    await expect(page).toHaveURL(/\/auth/);

    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await page.goto("/");
    await expect(card(page)).toContainText("We email you at chaya@family.example");
    const customize = card(page).getByRole("button", { name: "Customize Notifications" });
    const updates = card(page).getByRole("switch", { name: "Camp updates" });

    await customize.click();
    await expect(card(page).getByRole("switch", { name: "Daily videos" })).toBeFocused();
    await updates.check();
    await card(page).getByRole("button", { name: "Cancel" }).click();
    await expect(customize).toBeFocused();
    await customize.click();
    await expect(updates).not.toBeChecked();

    await updates.check();
    await page.route("**/api/profile", (route) =>
      route.request().method() === "PATCH" ? route.fulfill({ status: 500, body: "" }) : route.fallback(),
    );
    await card(page).getByRole("button", { name: "Save" }).click();
    await expect(toast(page)).toContainText("Error");
    await expect(updates).toBeChecked();
    await page.unroute("**/api/profile");

    const letGo = await hold(page, "**/api/profile", "PATCH");
    await card(page).getByRole("button", { name: "Save" }).click();
    await expect(card(page).getByRole("button", { name: "Saving..." })).toBeVisible();
    letGo();
    await expect(toast(page)).toContainText("Preferences Saved! ✅");
    await expect(toast(page)).toContainText("Your notification preferences have been updated successfully.");
    await expect(card(page).getByText("On", { exact: true })).toHaveCount(3);

    await told(desk, { title: "Buses leave at 5" });
    await camp.mailTo("chaya@family.example", /Buses leave at 5/);
  });

  test("does not mistake a failure for an answer, and shows nothing that it does not know", async ({ page, camp }) => {
    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await page.route("**/api/profile", (route) => route.fulfill({ status: 503, body: "" }));
    await page.goto("/");
    await card(page).getByRole("button", { name: "Customize Notifications" }).click();
    await expect(card(page).getByText("Your preferences could not be loaded")).toBeVisible();
    await page.unroute("**/api/profile");
    await card(page).getByRole("button", { name: "Retry" }).click();
    await expect(card(page).getByRole("switch", { name: "Daily videos" })).toBeChecked();
  });
});
