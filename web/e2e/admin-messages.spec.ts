import { readFile } from "node:fs/promises";
import type { components } from "../src/api/schema.gen";
import { call, expect, linkTo, parent, password, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import type { Portal } from "./support/portal";
import type { APIRequestContext, Locator, Page } from "@playwright/test";

type Schemas = components["schemas"];

const write = (request: APIRequestContext, change: Partial<Schemas["ContactForm"]> & { subject: string }) =>
  call(request, "POST", "/api/contact", {
    name: "Devoiry Papierblum",
    email: "devoiry@family.example",
    child_name: "Lipa",
    user_type: "parent",
    department: "staff",
    message: "Where does he press?\n\nThank you!",
    ...change,
  });
const inbox = async (page: Page) =>
  (await call<{ items: Schemas["Message"][] }>(page.request, "GET", "/api/admin/messages?limit=100")).items;
const row = (page: Page, subject: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: subject, level: 3 }) });
const open = async (page: Page, subject: string) => {
  await row(page, subject).getByRole("button", { name: subject, exact: true }).click();
  return page.getByRole("dialog", { name: subject });
};

test.describe("The inbox", () => {
  test("what a parent writes arrives by itself, is answered by mail, and the draft outlives a reload", async ({
    page,
    camp,
    somebody,
  }) => {
    // The page polls every 15 seconds.
    await staff(page, camp);
    await page.goto("/admin/messages");
    await expect(page.getByText("No messages yet")).toBeVisible();
    const views = page.getByRole("group", { name: "What to show" });
    const guest = await somebody();
    await guest.goto("/contact");
    const main = guest.getByRole("main");
    await main.getByLabel("Your Name").fill("Devoiry Papierblum");
    await main.getByLabel("Email").fill("devoiry@family.example");
    await main.getByRole("radio", { name: "Parent" }).check();
    await main.getByLabel("Child's Name").fill("Lipa");
    await main.getByRole("radio", { name: "Camp staff" }).check();
    await main.getByLabel("Subject").fill("Second email");
    await main.getByLabel("Message").fill("Where does he press?");
    await main.getByRole("button", { name: "Send Message" }).click();
    await expect(toast(guest)).toContainText("Message Sent!");
    await expect(row(page, "Second email")).toContainText(/Devoiry Papierblum.*Child: Lipa.*Unread.*Camp staff/s);
    await expect(views).toContainText("1 unread");
    await expect(page.getByRole("link", { name: /^Messages/ })).toContainText("1 unread");

    const drawer = await open(page, "Second email");
    await expect(drawer).toContainText("Where does he press?");
    await drawer.getByRole("button", { name: "Send Reply" }).click();
    await expect(drawer.getByText("Please write a reply first.")).toBeVisible();
    await drawer.getByLabel("Your reply").fill("Under Profile.");
    await expect(drawer.getByRole("status")).toHaveText("Draft saved");
    await page.reload();
    await expect(drawer.getByLabel("Your reply")).toHaveValue("Under Profile.");
    await drawer.getByLabel("Your reply").fill("Under Profile, second email.");
    await drawer.getByRole("button", { name: "Save Draft" }).click();
    await expect(toast(page)).toContainText("Draft Saved");
    expect((await inbox(page))[0]).toMatchObject({ draft: "Under Profile, second email.", replies: [] });

    await page.route("**/reply", (route) => route.fulfill({ status: 500, body: "no" }), { times: 1 });
    await drawer.getByRole("button", { name: "Send Reply" }).click();
    await expect(drawer.getByLabel("Your reply")).toHaveAccessibleDescription(
      /Failed to send the reply. Please try again./,
    );
    await expect(drawer.getByLabel("Your reply")).toHaveValue("Under Profile, second email.");
    await drawer.getByRole("button", { name: "Send Reply" }).dblclick();
    await expect(toast(page)).toContainText("Reply Sent");
    await expect(drawer.getByRole("region", { name: "Replies" })).toContainText("Under Profile, second email.");
    const mail = await camp.mailTo("devoiry@family.example", /^Re: Your message to/);
    expect(mail.text).toContain("Under Profile, second email.");
    expect(mail.text).not.toContain("Where does he press?");
    await expect(drawer.getByRole("region", { name: "Replies" })).toContainText("Sent");
    expect(await camp.mailsTo("devoiry@family.example", /^Re:/)).toHaveLength(1);
    await drawer.getByRole("button", { name: "Close" }).click();
    await expect(row(page, "Second email")).toContainText("Replied");
    await expect(views).not.toContainText("unread");
    expect((await inbox(page))[0]).toMatchObject({ status: "replied", draft: null });
  });

  test("messages are searched, filtered, read, assigned, marked as spam, and deleted", async ({
    page,
    camp,
    somebody,
    request,
  }) => {
    await staff(page, camp, "brayndl", "owner");
    const colleague = await somebody();
    await staff(colleague, camp, "miriam");
    await write(request, { subject: "Second email" });
    await write(request, {
      subject: "The picture on the wall",
      department: "video_team",
      name: "Frimet Erlenbrunn",
      child_name: null,
    });
    await write(request, { subject: "Cheap pills", name: "A program" });
    await page.goto("/admin/messages");
    const rows = page.getByRole("main").getByRole("listitem");
    await expect(rows).toHaveCount(3);
    await page.getByRole("searchbox", { name: "Search messages" }).fill("lipa");
    await expect(rows).toHaveCount(2);
    await page.getByRole("searchbox", { name: "Search messages" }).fill("erlen");
    await expect(rows).toHaveCount(1);
    await page.getByRole("button", { name: "Clear search text" }).click();
    await page.getByLabel("Department").selectOption("Video team");
    await expect(page).toHaveURL(/department=video_team/);
    await expect(rows).toHaveCount(1);
    await page.getByLabel("Department").selectOption("All departments");

    await row(page, "Second email")
      .getByRole("button", { name: /^Mark as Read/ })
      .click();
    await expect(toast(page)).toContainText("Marked as Read");
    const filter = page.getByRole("group", { name: "Filter by status" });
    await expect(filter.getByRole("button", { name: /^Unread/ })).toHaveText("Unread2");
    await filter.getByRole("button", { name: /^Read/ }).click();
    await expect(page).toHaveURL(/status=read/);
    await expect(rows).toHaveCount(1);
    const drawer = await open(page, "Second email");
    await drawer.getByLabel("Assigned to").selectOption("miriam");
    await expect(toast(page)).toContainText("Assigned to miriam");
    await drawer.getByRole("button", { name: "Mark as Unread" }).click();
    await expect(drawer.getByText("Unread", { exact: true })).toBeVisible();
    await drawer.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("No messages found")).toBeVisible();
    await page.getByRole("button", { name: "Show all messages" }).click();

    const spam = await open(page, "Cheap pills");
    await spam.getByRole("button", { name: "Mark as Spam" }).click();
    await expect(toast(page)).toContainText("It is no longer in the inbox.");
    await spam.getByRole("button", { name: "Close" }).click();
    await expect(rows).toHaveCount(2);
    await filter.getByRole("button", { name: /^Spam/ }).click();
    await open(page, "Cheap pills");
    await spam.getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: "Delete the message from A program?" })
      .getByRole("button", { name: "Delete message" })
      .click();
    await expect(toast(page)).toContainText("Message Deleted");
    await expect(page.getByText("No spam")).toBeVisible();
    expect(
      (await inbox(page)).map(({ subject, assigned_to, status }) => [subject, assigned_to ?? null, status]),
    ).toEqual([
      ["The picture on the wall", null, "unread"],
      ["Second email", "miriam", "unread"],
    ]);

    await page.getByRole("button", { name: "Show all messages" }).click();
    const given = page.getByRole("main").getByLabel("Assigned to");
    await given.selectOption("miriam");
    await expect(page).toHaveURL("/admin/messages?assigned_to=miriam");
    await expect(rows).toHaveText([/Second email/]);
    await given.selectOption("Assigned to nobody");
    await expect(rows).toHaveText([/The picture on the wall/]);
    await page.goBack();
    await expect(given).toHaveValue("miriam");
    await expect(rows).toHaveText([/Second email/]);

    // A link to a message opens it, and Back closes it.
    await open(page, "Second email");
    const link = page.url();
    await page.goBack();
    await expect(drawer).toBeHidden();
    await colleague.goto("/admin/messages?assigned_to=miriam");
    await expect(colleague.getByRole("main").getByLabel("Assigned to").locator("option:checked")).toHaveText("Mine");
    await expect(row(colleague, "Second email")).toContainText("miriam");
    await colleague.goto(link);
    const theirs = colleague.getByRole("dialog", { name: "Second email" });
    await expect(theirs.getByRole("button", { name: "Delete" })).toBeVisible();
    // Any staff member can assign messages to any other.
    const accounts = "/api/admin/accounts";
    const leaver = await call<Schemas["Account"]>(page.request, "POST", accounts, {
      username: "hindy",
      email: "hindy@camp.example",
      role: "staff",
      password,
      current_password: password,
    });
    await colleague.reload();
    const assigned = theirs.getByLabel("Assigned to");
    await expect(assigned.getByRole("option")).toHaveText(["Nobody", "miriam (me)", "brayndl", "hindy"]);
    await assigned.selectOption("brayndl");
    await expect(toast(colleague)).toContainText("Assigned to brayndl");
    await call(page.request, "PATCH", `${accounts}/${leaver.id}`, {
      version: leaver.version,
      disabled: true,
      current_password: password,
    });
    await assigned.selectOption("hindy");
    await expect(assigned).toHaveAccessibleDescription("There is no active account with this name.");
    await expect(assigned).toHaveValue("brayndl");
    await expect(assigned.getByRole("option")).toHaveText(["Nobody", "miriam (me)", "brayndl"]);
    expect((await inbox(page))[1]).toMatchObject({ subject: "Second email", assigned_to: "brayndl" });
    const id = (await inbox(page))[0]!.id;
    expect((await colleague.request.delete(`/api/admin/messages/${id}`)).status()).toBe(204);
  });

  test("two people answering the same message are told about each other, and no text is lost", async ({
    page,
    camp,
    somebody,
    request,
  }) => {
    await staff(page, camp, "brayndl");
    const colleague = await somebody();
    await staff(colleague, camp, "miriam");
    await write(request, { subject: "Second email" });
    for (const desk of [page, colleague]) {
      await desk.goto("/admin/messages");
      await open(desk, "Second email");
    }
    const [mine, theirs] = [page, colleague].map((desk) => desk.getByRole("dialog", { name: "Second email" })) as [
      Locator,
      Locator,
    ];
    await theirs.getByLabel("Your reply").fill("In the Users list.");
    await expect(theirs.getByRole("status")).toHaveText("Draft saved");
    await mine.getByLabel("Your reply").fill("Under Profile.");
    await mine.getByRole("button", { name: "Send Reply" }).click();
    await expect(mine.getByRole("alert").filter({ hasText: "Someone else started a reply" })).toContainText(
      "In the Users list.",
    );
    expect((await inbox(page))[0]).toMatchObject({ draft: "In the Users list.", replies: [] });

    await theirs.getByRole("button", { name: "Send Reply" }).click();
    await expect(toast(colleague)).toContainText("Reply Sent");
    await mine.getByRole("button", { name: "Send Reply" }).click();
    await expect(mine.getByLabel("Your reply")).toHaveAccessibleDescription(
      /miriam already replied to this message\. Press Send Reply again/,
    );
    await expect(mine.getByRole("region", { name: "Replies" })).toContainText("In the Users list.");
    await expect(mine.getByLabel("Your reply")).toHaveValue("Under Profile.");
    await expect(mine.getByRole("alert").filter({ hasText: "Someone else started a reply" })).toHaveCount(0);
    await expect(mine.getByRole("status")).toHaveText("Draft saved");
    await mine.getByRole("button", { name: "Send Reply" }).click();
    await expect(toast(page)).toContainText("Reply Sent");
    expect((await inbox(page))[0]?.replies.map(({ sent_by, body }) => [sent_by, body])).toEqual([
      ["miriam", "In the Users list."],
      ["brayndl", "Under Profile."],
    ]);

    await mine.getByLabel("Your reply").fill("And good night.");
    await colleague.request.delete(`/api/admin/messages/${(await inbox(page))[0]!.id}`);
    await mine.getByRole("button", { name: "Send Reply" }).click();
    await expect(mine.getByRole("alert")).toContainText("Someone else deleted this message.");
    await expect(mine.getByLabel("Your reply")).toHaveValue("And good night.");
    await expect(mine.getByRole("button", { name: "Copy my text" })).toBeVisible();
    await expect(page.getByText("No messages yet")).toBeAttached();
  });

  test("a message is read and answered without a mouse", async ({ page, camp, request }) => {
    await staff(page, camp);
    await write(request, { subject: "Second email" });
    await page.goto("/admin/messages");
    const subject = page.getByRole("button", { name: "Second email", exact: true });
    await tabTo(page, subject);
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog", { name: "Second email" });
    await tabTo(page, drawer.getByLabel("Your reply"));
    await page.keyboard.type("Under Profile.");
    await tabTo(page, drawer.getByRole("button", { name: "Send Reply" }));
    await page.keyboard.press("Enter");
    await expect(drawer.getByLabel("Your reply")).toBeFocused();
    await camp.mailTo("devoiry@family.example", /^Re: Your message to/);
    await page.keyboard.press("Escape");
    await expect(drawer).toBeHidden();
    await expect(subject).toBeFocused();
  });
});

async function subscribe(page: Page, camp: Portal, email: string) {
  await call(page.request, "POST", "/api/subscribe", { email });
  const token = new URL(
    linkTo("/subscribe", await camp.mailTo(email, /confirm that you want newsletters/)),
  ).searchParams.get("token");
  await call(page.request, "POST", "/api/subscribe/confirm", { token });
}

test.describe("Newsletters", () => {
  test("a newsletter shows its readers, asks first, goes to each once, and one press unsubscribes", async ({
    page,
    camp,
    somebody,
    request,
  }) => {
    await staff(page, camp, "brayndl", "owner");
    const guest = await somebody();
    await parent(guest, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    for (const email of ["chaya@family.example", "bubby@neighbor.example"]) await subscribe(guest, camp, email);
    await page.goto("/admin/messages?view=newsletters");
    const form = page.getByRole("region", { name: "Write a newsletter" });
    await expect(form.getByRole("radio", { name: /^Families and mailing list/ })).toHaveAccessibleName(/2 people$/);
    await expect(form.getByRole("radio", { name: /^Families Those/ })).toHaveAccessibleName(/1 person$/);
    const send = form.getByRole("button", { name: "Send newsletter to 2 people" });
    await form.getByRole("radio", { name: /^Families and mailing list/ }).check();
    await send.click();
    await expect(form.getByText("Please enter a subject.")).toBeVisible();
    await form.getByLabel("Subject").fill("Come at ten");
    await form
      .getByRole("textbox", { name: "Newsletter" })
      .fill("The gates open at ten.\n\nBring a hat. https://camp.example/map");
    await expect(form.getByRole("region", { name: "Preview" })).toContainText("Bring a hat.");
    await form.getByRole("button", { name: "Send me a test" }).click();
    await expect(toast(page)).toContainText("It is on its way to brayndl@camp.example.");
    expect((await camp.mailTo("brayndl@camp.example", /^Test: Come at ten/)).text).toContain("Bring a hat.");
    await page.reload();
    await expect(form.getByRole("region", { name: "Preview" })).toContainText("Bring a hat.");
    await expect(form.getByRole("radio", { name: /^Families and mailing list/ })).toBeChecked();
    await send.click();
    const question = page.getByRole("dialog", { name: "Send newsletter to 2 people?" });
    await expect(question).toContainText("Come at ten");
    expect(await camp.mailsTo("bubby@neighbor.example", /Come at ten/)).toEqual([]);
    await page.route(
      "**/api/admin/letters",
      (route) => (route.request().method() === "POST" ? route.fulfill({ status: 500, body: "no" }) : route.fallback()),
      { times: 1 },
    );
    await question.getByRole("button", { name: "Send newsletter" }).click();
    await expect(question.getByRole("alert")).toBeVisible();
    await question.getByRole("button", { name: "Send newsletter" }).click();
    await expect(toast(page)).toContainText("It is on its way to 2 people.");
    await expect(form.getByLabel("Subject")).toHaveValue("");
    await expect.poll(() => page.evaluate(() => sessionStorage.length), "what was sent is kept nowhere").toBe(0);
    const sent = page.getByRole("region", { name: "Sent newsletters" }).getByRole("listitem");
    await expect(sent).toContainText(/Come at ten.*2 sent/s);

    for (const email of ["chaya@family.example", "bubby@neighbor.example"]) {
      const mail = await camp.mailTo(email, /^Come at ten/);
      expect(mail.text).toContain("Bring a hat.");
      expect(mail.html).toContain('<a href="https://camp.example/map"');
      expect(mail.header("List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
      expect(await camp.mailsTo(email, /^Come at ten/)).toHaveLength(1);
    }
    const header = (await camp.mailTo("bubby@neighbor.example", /^Come at ten/)).header("List-Unsubscribe");
    const leave = /<(http[^>]+)>/.exec(header)![1]!;
    expect((await request.post(leave, { form: { "List-Unsubscribe": "One-Click" } })).ok()).toBe(true);
    await page.reload();
    await expect(form.getByRole("radio", { name: /^Families and mailing list/ })).toHaveAccessibleName(/1 person$/);
  });

  test("subscribers are listed, exported by owners, and removed", async ({ page, camp, somebody }) => {
    await staff(page, camp, "brayndl", "owner");
    const guest = await somebody();
    await subscribe(guest, camp, "bubby@neighbor.example");
    await call(guest.request, "POST", "/api/subscribe", { email: "zeidy@neighbor.example" });
    await page.goto("/admin/messages?view=subscribers");
    const rows = page.getByRole("main").getByRole("listitem");
    await expect(rows.filter({ hasText: "bubby@neighbor.example" })).toContainText("Confirmed");
    await expect(rows.filter({ hasText: "zeidy@neighbor.example" })).toContainText("Waiting for confirmation");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as CSV" }).click();
    expect(await readFile(await (await download).path(), "utf8")).toContain("bubby@neighbor.example");
    await page.getByRole("searchbox", { name: "Search subscribers" }).fill("bubby");
    await expect(rows).toHaveCount(1);
    await page.getByRole("button", { name: "Remove bubby@neighbor.example" }).click();
    await page
      .getByRole("dialog", { name: "Remove from the mailing list?" })
      .getByRole("button", { name: "Remove address" })
      .click();
    await expect(toast(page)).toContainText("Subscriber Removed");
    await expect(page.getByText('No subscribers found matching "bubby"')).toBeVisible();
    expect(await call(page.request, "GET", "/api/admin/subscribers")).toMatchObject({
      items: [{ email: "zeidy@neighbor.example" }],
    });

    const colleague = await somebody();
    await staff(colleague, camp, "miriam");
    await colleague.goto("/admin/messages?view=subscribers");
    await expect(colleague.getByText("zeidy@neighbor.example")).toBeVisible();
    await expect(colleague.getByRole("link", { name: "Export as CSV" })).toBeHidden();
    expect((await colleague.request.get("/api/admin/subscribers/export.csv")).status()).toBe(403);
  });
});

test("on a phone Send Reply is in view below the longest message", async ({ page, camp }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await staff(page, camp);
  await write(page.request, {
    name: "Devoiry".repeat(14),
    subject: "A long one",
    message: "Line\n".repeat(150),
  });
  await page.goto("/admin/messages");
  const line = row(page, "A long one");
  await expect(line).toBeVisible();
  const [name, around] = [await line.locator("bdi").first().boundingBox(), await line.boundingBox()];
  expect(name!.x + name!.width, "a long name stays inside").toBeLessThanOrEqual(around!.x + around!.width);
  await open(page, "A long one");
  await expect(page.getByRole("button", { name: "Send Reply" })).toBeInViewport({ ratio: 1 });
});
