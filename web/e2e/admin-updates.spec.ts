import type { components } from "../src/api/schema.gen";
import { call, expect, parent, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { pause, type Portal } from "./support/portal";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

const post = (page: Page, update: Partial<Schemas["NewUpdate"]> & { title: string }) =>
  call<Schemas["SavedUpdate"]>(page.request, "POST", "/api/admin/live-updates", {
    message: "Bring a hat.",
    author: "Camp office",
    ...update,
  });
const card = (page: Page, title: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, level: 3 }) });
const news = (page: Page) => page.getByRole("region", { name: "Live updates" });
const follower = async (page: Page, camp: Portal) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await call(page.request, "PATCH", "/api/profile", { camp_updates_email: true });
};

test.describe("Live updates", () => {
  test("an update is posted with its number of readers, hidden, shown, corrected and deleted; home follows by itself", async ({
    page,
    camp,
    somebody,
  }) => {
    const guest = await somebody();
    await follower(guest, camp);
    await staff(page, camp);
    await guest.goto("/");
    await expect(news(guest)).toContainText("No updates right now");
    await page.goto("/admin/live-updates");
    await expect(page.getByText("No Updates Yet")).toBeVisible();
    await page.getByRole("button", { name: "Create First Update" }).click();
    const form = page.getByRole("region", { name: "New update" });
    const button = form.getByRole("button", { name: "Post update to 1 person" });
    await button.click();
    for (const words of ["Title is required", "Message is required", "Author is required"])
      await expect(form.getByText(words)).toBeVisible();
    await form.getByLabel("Title").fill("Rain plan");
    await form.getByLabel("Message").fill("Activities move indoors.\n\nPlease send boots.");
    await form.getByLabel("Author").fill("Camp office");
    await expect(form.getByLabel("Priority")).toHaveValue("medium");
    await form.getByLabel("Priority").selectOption("High");
    await page.route("**/api/admin/live-updates", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 500, body: "no" }) : route.fallback(),
    );
    await button.click();
    await expect(form.getByRole("alert")).toBeVisible();
    await expect(form.getByLabel("Message")).toHaveValue("Activities move indoors.\n\nPlease send boots.");
    await page.unroute("**/api/admin/live-updates");
    await button.dblclick();
    await expect(toast(page)).toContainText("Live Update Posted!");
    await expect(toast(page)).toContainText("Your update has been posted and parents will be notified.");
    await expect(form).toBeHidden();
    const rain = card(page, "Rain plan");
    for (const words of ["High", "Active", "Posted by Camp office (miriam)"]) await expect(rain).toContainText(words);
    await expect(toast(guest)).toContainText("Camp Update!");
    await expect(news(guest)).toContainText("High Priority");
    expect((await camp.mailTo("chaya@family.example", /^High priority: Rain plan/)).text).toContain(
      "Please send boots.",
    );
    await expect(rain).toContainText("1 sent");

    await rain.getByRole("button", { name: "Deactivate" }).click();
    await expect(toast(page)).toContainText("Update DeactivatedThe update is now hidden to parents.");
    await expect(rain).toContainText("Inactive");
    await expect(news(guest)).toContainText("No updates right now");
    await rain.getByRole("button", { name: "Activate" }).click();
    await expect(toast(page)).toContainText("Update ActivatedThe update is now visible to parents.");
    await expect(news(guest)).toContainText("Rain plan");

    await rain.getByRole("button", { name: "Edit Rain plan" }).click();
    const panel = page.getByRole("dialog", { name: "Edit update" });
    await expect(panel).toContainText("Saving does not send any emails.");
    await panel.getByLabel("Title").fill("Sun plan");
    await panel.getByRole("button", { name: "Save update" }).click();
    await expect(toast(page)).toContainText("Update Saved");
    await expect(news(guest)).toContainText("Sun plan");

    await card(page, "Sun plan").getByRole("button", { name: "Delete Sun plan" }).click();
    const question = page.getByRole("dialog", { name: "Delete this update?" });
    await expect(question).toContainText("Sun plan");
    await question.getByRole("button", { name: "Delete update" }).click();
    await expect(toast(page)).toContainText("Update DeletedThe live update has been removed.");
    await expect(page.getByText("No Updates Yet")).toBeVisible();
    await expect(news(guest)).toContainText("No updates right now");
    expect(await camp.mailsTo("chaya@family.example", /plan/)).toHaveLength(1);
  });

  test.describe("on its own clock", () => {
    test.use({ settings: { timezone: "UTC" } });

    test("a pinned update comes first, and an expired one disappears by itself", async ({ page, camp, somebody }) => {
      await staff(page, camp);
      await post(page, { title: "Package room closes at 5" });
      const soon = await post(page, { title: "The bus is on the bridge" });
      await post(page, { title: "Fresh bread" });
      const guest = await somebody();
      await guest.goto("/");
      const first = news(guest).getByRole("listitem").first();
      await expect(first).toContainText("Fresh bread");
      await expect(news(guest).getByRole("button", { name: "Show All Updates (1 more)" })).toBeVisible();

      await page.goto("/admin/live-updates");
      await page.getByRole("button", { name: "Edit Package room closes at 5" }).click();
      const panel = page.getByRole("dialog", { name: "Edit update" });
      await panel.getByLabel("Pin to the top").selectOption("For 2 days");
      await panel.getByLabel(/^Hide after/).fill("2020-01-01");
      await panel.getByRole("button", { name: "Save update" }).click();
      await expect(panel.getByText("Please choose a date and time in the future.")).toBeVisible();
      const year = new Date().getFullYear() + 1;
      await panel.getByLabel(/^Hide after/).fill(`${year}-07-31`);
      await expect(panel.getByLabel("Time")).toHaveValue("23:59");
      await panel.getByRole("button", { name: "Save update" }).click();
      await expect(panel).toBeHidden();
      await expect(card(page, "Package room closes at 5")).toContainText(
        new RegExp(`Pinned.*Until .*Jul 31, ${year}, 11:59\\sPM`, "s"),
      );
      await expect(first).toContainText("Package room closes at 5");
      await expect(first).toContainText("Pinned");

      await news(guest)
        .getByRole("button", { name: /^Show All/ })
        .click();
      await expect(news(guest)).toContainText("The bus is on the bridge");
      // The form sets the expiry to the minute. This one is a few seconds away.
      const end = new Date(Date.now() + 8_000).toISOString().slice(0, 19);
      await call(page.request, "PATCH", `/api/admin/live-updates/${soon.update.id}`, {
        version: soon.update.version,
        expires_at: end,
      });
      await expect(news(guest)).not.toContainText("The bus is on the bridge");
      expect(Date.now(), "not before its end").toBeGreaterThanOrEqual(Date.parse(`${end}Z`) - 1_000);
      await page.getByRole("button", { name: "Refresh" }).click();
      await expect(card(page, "The bus is on the bridge")).toContainText(/Inactive.*Ended/s);
      await guest.goto(`/updates/${soon.update.id}`);
      await expect(guest.getByRole("main")).toContainText("This update was removed");
    });
  });

  test("two people editing one update lose nothing; a search and Back work through the address bar", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    const { update } = await post(page, { title: "Rain plan" });
    await post(page, { title: "Fresh bread", author: "Kitchen" });
    await page.goto("/admin/live-updates");
    await page.getByRole("searchbox", { name: "Search updates" }).fill("kitchen");
    await expect(card(page, "Rain plan")).toBeHidden();
    await expect(page).toHaveURL(/\?q=kitchen$/);
    await page.getByRole("searchbox", { name: "Search updates" }).fill("nothing of the kind");
    await expect(page.getByText('No updates found matching "nothing of the kind"')).toBeVisible();
    await page.getByRole("button", { name: "Clear Search", exact: true }).click();
    await page.getByRole("main").getByLabel("Filter by status").selectOption("Expired");
    await expect(page.getByText("No updates found")).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL("/admin/live-updates");
    await page.getByRole("main").getByLabel("Filter by priority").selectOption("Medium priority");
    await expect(page).toHaveURL("/admin/live-updates?priority=medium");

    await page.getByRole("button", { name: "Edit Rain plan" }).click();
    const panel = page.getByRole("dialog", { name: "Edit update" });
    await panel.getByLabel("Title").fill("Rain plan, day two");
    const colleague = await somebody();
    await staff(colleague, camp, "yitty");
    await call(colleague.request, "PATCH", `/api/admin/live-updates/${update.id}`, {
      version: update.version,
      message: "Boots, please.",
    });
    await panel.getByRole("button", { name: "Save update" }).click();
    await expect(panel.getByRole("alert")).toContainText("Someone else changed this update while you were editing.");
    await panel.getByRole("button", { name: "Reload and keep what I typed" }).click();
    await expect(panel.getByLabel("Message")).toHaveValue("Boots, please.");
    await panel.getByRole("button", { name: "Save update" }).click();
    await expect(card(page, "Rain plan, day two")).toContainText("Boots, please.");
  });

  test("a new High Priority update is above pinned ones, on every page and at once", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    await post(page, { title: "Package room closes at 5", pin_days: 7 });
    await post(page, { title: "Fresh bread" });
    const guest = await somebody();
    await guest.goto("/");
    const items = news(guest).getByRole("listitem");
    await expect(items).toHaveText([/Pinned.*Package room/s, /Fresh bread/]);
    await post(page, { title: "Thunderstorm: boys are indoors", priority: "high" });
    await expect(items).toHaveText([/High Priority.*Thunderstorm/s, /Pinned.*Package room/s]);
    await guest.goto("/updates");
    const titles = guest.getByRole("main").getByRole("heading", { level: 2 });
    const order = ["Thunderstorm: boys are indoors", "Package room closes at 5", "Fresh bread"];
    await expect(titles).toHaveText(order);
    await page.goto("/admin/live-updates");
    await expect(page.getByRole("main").getByRole("listitem").getByRole("heading", { level: 3 })).toHaveText(order);
    await expect(card(page, "Package room closes at 5")).toContainText(/Pinned until/);
    await page.getByRole("button", { name: "Edit Package room closes at 5" }).click();
    const panel = page.getByRole("dialog", { name: "Edit update" });
    await panel.getByLabel("Pin to the top").selectOption("Not pinned");
    await panel.getByRole("button", { name: "Save update" }).click();
    await expect(titles).toHaveText([order[0]!, order[2]!, order[1]!]);
  });

  test("a test goes only to its sender, an update without email to nobody; the author is remembered", async ({
    page,
    camp,
    somebody,
  }) => {
    const guest = await somebody();
    await follower(guest, camp);
    await staff(page, camp);
    await page.goto("/admin/live-updates?action=create");
    const form = page.getByRole("region", { name: "New update" });
    const testMail = form.getByRole("button", { name: "Send me a test" });
    await testMail.click();
    await expect(form.getByText("Author is required")).toBeVisible();
    await form.getByLabel("Title").fill("Trip to the falls");
    await form.getByLabel("Message").fill("Sign up at https://camp.example/trip.");
    await form.getByLabel("Author").fill("Camp office");
    await form.getByLabel("Pin to the top").selectOption("For 3 days");
    await expect(form.getByText("1 person gets one email.")).toBeVisible();
    await testMail.click();
    await expect(toast(page)).toContainText("It is on its way to miriam@camp.example.");
    const mail = await camp.mailTo("miriam@camp.example", /^Test: Camp update: Trip to the falls/);
    expect(mail.text).toContain("This is a test. It was sent only to you.");
    expect(mail.html).toContain('<a href="https://camp.example/trip"');
    await form.getByRole("checkbox", { name: "Send it by email" }).uncheck();
    await expect(form.getByText("No emails are sent, even if it is activated again later.")).toBeVisible();
    await form.getByRole("button", { name: "Post update without email" }).click();
    await expect(toast(page)).toContainText("Your update has been posted.");
    const trip = card(page, "Trip to the falls");
    await expect(trip).toContainText("No email");
    await trip.getByRole("button", { name: "Deactivate" }).click();
    await trip.getByRole("button", { name: "Activate" }).click();
    await expect(trip).toContainText("Active");

    await guest.goto("/updates");
    const link = guest.getByRole("link", { name: "https://camp.example/trip" });
    await expect(link).toHaveAttribute("href", "https://camp.example/trip");
    await page.getByRole("button", { name: "Create Update" }).click();
    await expect(form.getByLabel("Author")).toHaveValue("Camp office");
    await expect(form.getByLabel("Title")).toHaveValue("");
    await expect(form.getByRole("button", { name: "Post update to 1 person" })).toBeVisible();
    expect(await camp.mailsTo("chaya@family.example", /Trip/)).toEqual([]);
  });

  test("an update is posted without a mouse", async ({ page, camp }) => {
    await staff(page, camp);
    await page.goto("/admin/live-updates");
    const open = page.getByRole("button", { name: "Create Update" });
    await tabTo(page, open);
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Title")).toBeFocused();
    for (const words of ["Rain plan", "Activities move indoors.", "Camp office"]) {
      await page.keyboard.type(words);
      await page.keyboard.press("Tab");
    }
    await tabTo(page, page.getByRole("button", { name: "Post update", exact: true }));
    await page.keyboard.press("Enter");
    await expect(card(page, "Rain plan")).toBeVisible();
    await expect(open).toBeFocused();
    await tabTo(page, page.getByRole("button", { name: "Delete Rain plan" }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("button", { name: "Delete update" }));
    await page.keyboard.press("Enter");
    await expect(page.getByText("No Updates Yet")).toBeVisible();
    await pause(300);
    expect(await camp.mails()).toEqual([]);
  });
});
