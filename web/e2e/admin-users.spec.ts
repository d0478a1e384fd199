import { readFile } from "node:fs/promises";
import type { components } from "../src/api/schema.gen";
import { account, call, expect, linkTo, parent, password, posted, signUp, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";
import type { Locator, Page } from "@playwright/test";

type Schemas = components["schemas"];

/** Imports families from a table, without sending email. */
const plant = (page: Page, ...rows: string[]) =>
  call<Schemas["FamilyImport"]>(page.request, "POST", "/api/admin/users/import", {
    csv: ["Name,Child,Email,Total,Paid,Due Date", ...rows].join("\n"),
    dry_run: false,
  });

const familyOf = async (page: Page, q: string) =>
  (await call<{ items: Schemas["FamilyRow"][] }>(page.request, "GET", `/api/admin/users?q=${encodeURIComponent(q)}`))
    .items[0]!;

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const names = (page: Page) => page.getByRole("row").getByRole("button", { name: /, details$/ });
const drawerOf = async (page: Page, name: string): Promise<Locator> => {
  await row(page, name)
    .getByRole("button", { name: /, details$/ })
    .click();
  return page.getByRole("dialog", { name, exact: true });
};

test.describe("Users", () => {
  test("a nonexistent or incomplete date is not saved as an empty one", async ({ page, camp }) => {
    await staff(page, camp);
    await plant(page, "Chaya Lindenfeld,Yossi,chaya@family.example,2800,,2027-07-01");
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Edit Chaya Lindenfeld" }).click();
    const drawer = page.getByRole("dialog").filter({ has: page.getByLabel("Due Date") });
    const due = drawer.getByLabel("Due Date");
    for (const typed of ["02302027", "Backspace"]) {
      await due.focus();
      if (typed === "Backspace") await page.keyboard.press(typed);
      else await page.keyboard.type(typed);
      await drawer.getByRole("button", { name: "Save All Changes" }).click();
      await expect(due).toBeFocused();
      await due.fill("2027-07-01");
    }
    await due.focus();
    await page.keyboard.type("07152027");
    await drawer.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(page)).toContainText("User Updated");
    expect((await familyOf(page, "chaya")).plan?.due_date).toBe("2027-07-15");
  });

  test("a family is added by hand, invited, and joins through its invitation", async ({
    page,
    camp,
    somebody,
    context,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await staff(page, camp);
    await page.goto("/admin/users");
    await expect(page.getByText("No users yet")).toBeVisible();
    await page.getByRole("button", { name: "Add New User" }).first().click();
    await expect(page).toHaveURL(/\?action=add$/);
    const form = page.getByRole("region", { name: "New user" });
    const add = form.getByRole("button", { name: "Add user and send invitation" });
    await add.click();
    await expect(form.getByText("All fields are required")).toHaveCount(3);
    await form.getByLabel("Parent Name").fill(" Esty Brachfeld ");
    await form.getByLabel("Email Address").fill("Esty@Family.example");
    await form.getByLabel("Child Name").fill("Duvi");

    // The server is unavailable for a moment, and no typed text is lost.
    await page.route("**/api/admin/users", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 503, body: "no" }) : route.fallback(),
    );
    await add.click();
    await expect(form.getByRole("alert")).toBeVisible();
    await expect(toast(page)).toContainText("Failed to add user");
    await expect(form.getByLabel("Child Name")).toHaveValue("Duvi");
    await page.unroute("**/api/admin/users");
    await add.click();
    await expect(toast(page)).toContainText("User Added Successfully");
    await expect(toast(page)).toContainText("User added successfully with payment plan.");
    await expect(row(page, "Esty Brachfeld")).toContainText("$0 of $2,800");
    expect(await familyOf(page, "esty")).toMatchObject({
      full_name: "Esty Brachfeld",
      child_name: "Duvi",
      email_notifications: true,
      daily_video_email: true,
      camp_updates_email: false,
      invited: true,
    });

    await page.getByRole("button", { name: "Add New User" }).click();
    await expect(form.getByLabel("Parent Name")).toHaveValue("");
    await form.getByLabel("Parent Name").fill("Somebody Else");
    await form.getByLabel("Email Address").fill("esty@family.example");
    await form.getByLabel("Child Name").fill("Duvi");
    await add.click();
    await expect(form.getByLabel("Email Address")).toHaveAccessibleDescription("A user with this email already exists");
    await expect(form.getByLabel("Parent Name")).toHaveValue("Somebody Else");
    await form.getByRole("button", { name: "Cancel" }).click();

    const first = linkTo("/auth", await camp.mailTo("esty@family.example", /You are invited/));
    const drawer = await drawerOf(page, "Esty Brachfeld");
    await expect(drawer).toContainText("Invited, but no one has signed up yet.");
    await drawer.getByRole("button", { name: "Send invitation again" }).click();
    await expect(toast(page)).toContainText("Invitation sent");
    await expect.poll(async () => (await camp.mailsTo("esty@family.example", /You are invited/)).length).toBe(2);
    await drawer.getByRole("button", { name: "Copy invitation link" }).click();
    await expect(toast(page)).toContainText("Link copied!");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/auth\?invite=/);

    const guest = await somebody();
    await guest.goto(first);
    await expect(guest.getByLabel("Your Name")).toHaveValue("Esty Brachfeld");
    await guest.getByLabel("Password", { exact: true }).fill(password);
    await guest.getByRole("main").getByRole("button", { name: "Create Account" }).last().click();
    await expect(account(guest, "Esty Brachfeld")).toBeVisible();
    await page.reload();
    await expect(drawer).toContainText("1 login on this family.");
  });

  test("a stranger who joined through a forwarded link is removed from the family", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    await plant(page, "Zev Unger,Ari,zev@family.example,1000,,");
    const { id } = await familyOf(page, "Zev");
    const { url } = await call<{ url: string }>(page.request, "POST", `/api/admin/users/${id}/invitation-link`);
    const guest = await somebody();
    await guest.goto(url);
    await guest.getByRole("main").getByLabel("Email").fill("stranger@other.example");
    await guest.getByLabel("Password", { exact: true }).fill(password);
    await guest.getByRole("main").getByRole("button", { name: "Create Account" }).last().click();
    await expect(guest).not.toHaveURL(/invite=/);
    await camp.mailTo("zev@family.example", /joined your family/);

    await page.goto(`/admin/users?user=${id}`);
    const drawer = page.getByRole("dialog", { name: "Zev Unger", exact: true });
    await drawer.getByRole("button", { name: "Remove the login stranger@other.example" }).click();
    const question = page.getByRole("dialog", { name: "Remove login" });
    await isSound(page, "the question about a login");
    await question.getByRole("button", { name: "Remove login" }).click();
    await expect(toast(page)).toContainText("Login Removed");
    await expect(drawer).not.toContainText("stranger@other.example");
    await guest.goto("/profile");
    await expect(guest).toHaveURL(/\/auth\?next=/);
  });

  for (const [where, viewport] of [
    ["on a phone", { width: 390, height: 844 }],
    ["at a desk", { width: 1280, height: 800 }],
  ] as const) {
    test(`families that have not signed up are invited, ${where}`, async ({ page, camp, somebody, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.setViewportSize(viewport);
      await staff(page, camp);
      await plant(page, "Adina Zehner,Pinny,adina@family.example,1000,1000,", "Zev Unger,Ari,,1000,,");
      await page.goto("/admin/users");
      const adina = row(page, "Adina Zehner");
      await expect(row(page, "Zev Unger").getByRole("button", { name: /^Invite/ })).toHaveCount(0);
      await adina.getByRole("button", { name: "Invite: Adina Zehner" }).click();
      await expect(toast(page)).toContainText("It is on its way to adina@family.example.");
      await expect(adina.getByRole("button", { name: "Sent: Adina Zehner" })).toBeDisabled();
      await camp.mailTo("adina@family.example", /You are invited/);
      await page.reload();
      await expect(adina.getByRole("button", { name: "Invite again: Adina Zehner" })).toBeEnabled();

      await row(page, "Zev Unger").getByRole("button", { name: "Copy invitation link: Zev Unger" }).click();
      await expect(toast(page)).toContainText("Link copied!");
      const link = await page.evaluate(() => navigator.clipboard.readText());
      const guest = await somebody();
      await guest.goto(link);
      await expect(guest.getByLabel("Your Name")).toHaveValue("Zev Unger");
      await guest.getByRole("main").getByLabel("Email").fill("zev@family.example");
      await guest.getByLabel("Password", { exact: true }).fill(password);
      await guest.getByRole("main").getByRole("button", { name: "Create Account" }).last().click();
      await expect(guest).not.toHaveURL(/invite=/);
      await page.reload();
      await expect(row(page, "Zev Unger").getByRole("button", { name: /^(Invite|Sent|Copy invitation)/ })).toHaveCount(
        0,
      );
      await isSound(page, `the list of users ${where}`);
    });
  }

  test("cards, search, filters and sorting are correct, and the address bar keeps them", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    await plant(
      page,
      "Adina Zehner,Pinny,adina@family.example,1000,1000,",
      "Bluma Yarmush,Lipa,bluma@family.example,2000,500,2020-01-01",
      "Cirel Xylander,Motty,cirel@family.example,3000,0,2099-01-01",
      "Dina Weberman,Hindy,,1500.50,0.50,",
    );
    await signUp(await somebody(), { name: "Edel Vogelfang", email: "edel@family.example" });
    await page.goto("/admin/users");
    const card = (label: string) =>
      page
        .locator("dl > div")
        .filter({ has: page.locator("dt", { hasText: label }) })
        .first();
    await expect(card("Total Users")).toContainText("5");
    await expect(card("Paid in Full")).toContainText("1");
    await expect(card("Total Revenue")).toContainText("$1,500.50");
    await expect(card("Overdue")).toContainText("1");
    await expect(row(page, "Bluma Yarmush")).toContainText("Overdue");
    await expect(row(page, "Bluma Yarmush").getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
    await expect(row(page, "Dina Weberman")).toContainText("No Email");
    await expect(row(page, "Edel Vogelfang")).toContainText("No Plan");

    const filter = page.getByRole("group", { name: "Filter" });
    for (const [name, found] of [
      ["Paid in Full", ["Adina"]],
      ["Overdue", ["Bluma"]],
      ["No Plan", ["Edel"]],
      ["To approve", ["Edel"]],
      ["Payment Due", ["Edel", "Dina", "Cirel"]],
      ["All Users", ["Edel", "Dina", "Cirel", "Bluma", "Adina"]],
    ] as const) {
      await filter.getByRole("button", { name }).click();
      await expect
        .poll(async () => (await names(page).allInnerTexts()).map((text) => text.split(" ")[0]).toSorted(), name)
        .toEqual([...found].toSorted());
    }
    const head = (name: string) => page.getByRole("columnheader", { name }).getByRole("button");
    await head("Name").click();
    await expect(page).toHaveURL(/sort=name$/);
    await expect(names(page).first()).toContainText("Adina");
    await head("Name").click();
    await expect(page).toHaveURL(/sort=name&direction=desc$/);
    await expect(names(page).first()).toContainText("Edel");
    await head("Amount").click();
    await expect(names(page).first()).toContainText("Adina");
    await page.getByLabel("Sort by").selectOption("Email");
    await expect(page).toHaveURL(/sort=email/);
    await page.getByRole("searchbox", { name: "Search users" }).fill("LIPA");
    await expect(page.getByText('Found 1 user(s) matching "LIPA"')).toBeVisible();
    await expect(page).toHaveURL(/q=LIPA/);
    await page.reload();
    await expect(names(page)).toHaveCount(1);
    // The filter is clicked while the search is still debounced, and both apply.
    await page.getByRole("searchbox", { name: "Search users" }).fill("a");
    await filter.getByRole("button", { name: "Overdue" }).click();
    await expect(page).toHaveURL(/[?&]q=a(&|$)/);
    await expect(page).toHaveURL(/filter=overdue/);
    await page.getByRole("searchbox", { name: "Search users" }).fill("nobody at all");
    await page.getByRole("button", { name: "Clear Search", exact: true }).click();
    await expect(names(page)).toHaveCount(1);
    await filter.getByRole("button", { name: "All Users" }).click();
    await expect(names(page)).toHaveCount(5);
  });

  test("two people editing one family overwrite nothing and lose nothing", async ({ page, camp, somebody }) => {
    await staff(page, camp);
    await plant(page, "Bluma Yarmush,Lipa,bluma@family.example,2000,500,");
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Edit Bluma Yarmush" }).click();
    const mine = page.getByRole("dialog", { name: "Edit Bluma Yarmush" });
    await mine.getByLabel("Child Name").fill("Lipa & Surele");

    const colleague = await somebody();
    await staff(colleague, camp, "yitty");
    await colleague.goto("/admin/users");
    await colleague.getByRole("button", { name: "Edit Bluma Yarmush" }).click();
    const theirs = colleague.getByRole("dialog", { name: "Edit Bluma Yarmush" });
    await theirs.getByLabel("Full Name").fill("Bluma Yarmush-Stein");
    await theirs.getByLabel("Total Amount").fill("1800");
    await theirs.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(colleague)).toContainText("User profile and payment information updated successfully");

    await mine.getByRole("button", { name: "Save All Changes" }).click();
    await expect(mine.getByRole("alert")).toContainText(
      "Someone else changed this user while you were editing. Nothing was saved yet.",
    );
    await mine.getByRole("button", { name: "Reload and keep what I typed" }).click();
    await expect(mine.getByLabel("Full Name")).toHaveValue("Bluma Yarmush-Stein");
    await expect(mine.getByLabel("Total Amount")).toHaveValue("1,800.00");
    await expect(mine.getByLabel("Child Name")).toHaveValue("Lipa & Surele");
    await mine.getByRole("button", { name: "Save All Changes" }).click();
    await expect(mine).toBeHidden();
    expect(await familyOf(page, "bluma")).toMatchObject({
      full_name: "Bluma Yarmush-Stein",
      child_name: "Lipa & Surele",
      plan: { total_amount: 180_000, paid_amount: 50_000 },
    });
  });

  test.describe("when the portal is for families only", () => {
    test.use({ settings: { access: "families" } });

    test("families that registered on their own are approved or refused, are told, and choose their emails", async ({
      page,
      camp,
      somebody,
    }) => {
      await staff(page, camp);
      await posted(page, { title: "Campfire" });
      const guest = await somebody();
      await parent(guest, camp, { name: "Edel Vogelfang", email: "edel@family.example" });
      await parent(await somebody(), camp, { name: "Feige Unger", email: "feige@family.example" });
      await page.goto("/admin/users?filter=to_approve");
      await page.getByRole("button", { name: "Approve Edel Vogelfang" }).click();
      await expect(toast(page)).toContainText("User Approved");
      await camp.mailTo("edel@family.example", /^Welcome to/);
      await guest.goto("/current-videos");
      await guest.getByRole("link", { name: "Campfire" }).click();
      await expect(guest.getByRole("button", { name: "Play Campfire" })).toBeVisible();

      await page.getByRole("button", { name: "Refuse Feige Unger" }).click();
      await page
        .getByRole("dialog", { name: "Refuse this registration?" })
        .getByRole("button", { name: "Refuse", exact: true })
        .click();
      await expect(toast(page)).toContainText("User Refused");
      await camp.mailTo("feige@family.example", /^Your registration at/);
      await expect(page.getByText("No one is waiting for approval")).toBeVisible();
      await expect(page.getByText("Nobody to approve")).toBeVisible();
      await expect(page.getByText("All are approved")).toHaveCount(0);

      // A stale list must not undo a colleague's decision.
      await signUp(await somebody(), { name: "Gitel Tannen", email: "gitel@family.example" });
      await page.reload();
      await expect(page.getByRole("button", { name: "Approve Gitel Tannen" })).toBeVisible();
      const colleague = await somebody();
      await staff(colleague, camp, "brayndl");
      await call(
        colleague.request,
        "POST",
        `/api/admin/users/${(await familyOf(page, "gitel")).id}/refuse?seen=waiting`,
      );
      await page.getByRole("button", { name: "Approve Gitel Tannen" }).click();
      await expect(toast(page)).toContainText("Gitel Tannen: brayndl already refused this registration.");
      await expect(page.getByText("No one is waiting for approval")).toBeVisible();
      await page.goto(`/admin/users?user=${(await familyOf(page, "gitel")).id}`);
      await page.getByRole("dialog").getByRole("button", { name: "Approve Gitel Tannen" }).click();
      await expect(toast(page)).toContainText("This person has not confirmed their email yet.");
      await page.goto("/admin/users?filter=to_approve");

      await page.getByRole("button", { name: "Show all users" }).click();
      await expect(row(page, "Feige Unger")).toContainText("Refused");
      const [updates, videos] = ["Updates", "Videos"].map((name) =>
        page.getByRole("switch", { name: `${name} mail to Edel Vogelfang` }),
      ) as [Locator, Locator];
      await updates.click();
      await videos.click();
      await expect(updates).toBeChecked();
      await expect(videos).not.toBeChecked();
      await expect(toast(page)).toContainText("Email notification preferences updated");
      await expect
        .poll(() => familyOf(page, "edel"))
        .toMatchObject({ camp_updates_email: true, daily_video_email: false });
    });
  });

  test("a table is reviewed, imported and exported again by the people who may", async ({ page, camp, somebody }) => {
    await staff(page, camp, "brayndl", "owner");
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Import" }).first().click();
    const drawer = page.getByRole("dialog", { name: "Import users" });
    const csv =
      "Name,Child,Email,Total,Shoe size\nAdina Zehner,Pinny,adina@family.example,1000,34\nBluma Yarmush,Lipa,not-an-address,2000,35\nCirel Xylander,Motty,,many,36\n";
    await drawer
      .getByLabel("Excel or CSV file")
      .setInputFiles({ name: "bunk.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await drawer.getByRole("button", { name: "Check the table" }).click();
    await expect(drawer.getByRole("status")).toContainText("What would happen with 3 rows");
    await expect(drawer.getByText("Not used: Shoe size.")).toBeVisible();
    const problems = drawer.getByRole("table", { name: "Problems by line" });
    await expect(problems.getByRole("row")).toHaveCount(3);
    await expect(problems.getByRole("row").nth(1)).toContainText(/^3/);
    await expect(problems.getByRole("row").nth(2)).toContainText(/^4/);
    expect(await call(page.request, "GET", "/api/admin/users")).toMatchObject({ items: [] });

    await drawer.getByRole("button", { name: "Remove" }).click();
    await drawer
      .getByLabel("Or paste the table")
      .fill(csv.replace("not-an-address", "bluma@family.example").replace("many", "1500"));
    await drawer.getByRole("button", { name: "Check the table" }).click();
    await drawer.getByRole("button", { name: "Import 3 families" }).click();
    await expect(toast(page)).toContainText("3 added, 0 updated, 0 unchanged.");
    await drawer.getByRole("button", { name: "Done" }).click();
    await expect(row(page, "Cirel Xylander")).toContainText("No Email");
    expect(await camp.mails()).toEqual([]);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const table = await readFile(await (await download).path(), "utf8");
    expect(table, "spreadsheets know it for UTF-8").toMatch(/^\ufeffName,/);
    for (const cell of ["Adina Zehner", "bluma@family.example", "Motty"]) expect(table).toContain(cell);
    const again = await call<Schemas["FamilyImport"]>(page.request, "POST", "/api/admin/users/import", {
      csv: table,
      dry_run: true,
    });
    expect(again).toMatchObject({ added: 0, updated: 0, problems: [] });

    const colleague = await somebody();
    await staff(colleague, camp, "miriam");
    await colleague.goto("/admin/users");
    await expect(row(colleague, "Adina Zehner")).toBeVisible();
    await expect(colleague.getByRole("button", { name: "Export CSV" })).toBeHidden();
    expect((await colleague.request.get("/api/admin/users/export.csv")).status()).toBe(403);
  });
});
