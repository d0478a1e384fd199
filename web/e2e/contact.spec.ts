import { call, expect, linkTo, parent, staff, test, toast } from "./support/camp";
import { pause } from "./support/portal";
import type { Page } from "@playwright/test";

async function fillIn(page: Page, { subject = "Medicine", department = "Camp staff" } = {}) {
  await page.getByLabel("Your Name").fill("Bubby Feder");
  await page.getByRole("main").getByLabel("Email").fill("bubby@family.example");
  await page.getByRole("radio", { name: "Guest" }).check();
  await page.getByRole("radio", { name: department }).check();
  await page.getByLabel("Subject").fill(subject);
  await page.getByLabel("Message").fill("Mendy needs his inhaler.\n\nIt is the blue one.");
}

const send = (page: Page) => page.getByRole("button", { name: "Send Message" }).click();

test.describe("Writing to the camp", () => {
  test.use({ settings: { staffEmail: "staff@camp.example", videoTeamEmail: "films@camp.example" } });

  test("a message reaches the people it is for, the inbox and its sender, and an answer comes back", async ({
    page,
    camp,
    somebody,
  }) => {
    const desk = await somebody();
    await staff(desk, camp);
    await page.goto("/contact");
    await send(page);
    for (const sentence of [
      "Please enter your name.",
      "Please enter your email.",
      "Please choose parent or guest.",
      "Please choose who should read it.",
      "Please enter a subject.",
      "Please write a message first.",
    ]) {
      await expect(page.getByText(sentence)).toBeVisible();
    }
    await expect(page.getByLabel("Your Name")).toBeFocused();
    await fillIn(page);
    await page.getByLabel("Child's Name").fill("Mendy");
    await send(page);
    await expect(toast(page)).toContainText("Message Sent!");
    await expect(toast(page)).toContainText("We'll get back to you within 24 hours during season.");
    const sent = page.getByRole("region", { name: "Your message was sent" });
    await expect(sent).toContainText("It is the blue one.");
    await expect(sent).toContainText("It does not include your message");
    await sent.getByRole("button", { name: "Send another message" }).click();
    for (const label of ["Your Name", "Subject", "Message"]) await expect(page.getByLabel(label)).toHaveValue("");

    const toCamp = await camp.mailTo("staff@camp.example", /Medicine/);
    for (const words of ["Bubby Feder", "bubby@family.example", "Mendy", "It is the blue one."])
      expect(toCamp.text).toContain(words);
    expect(toCamp.header("Reply-To")).toContain("bubby@family.example");
    const thanks = await camp.mailTo("bubby@family.example", /got your message/);
    expect(thanks.text).not.toContain("inhaler");

    await desk.goto("/admin/messages");
    const row = desk.getByRole("listitem").filter({ hasText: "Medicine" });
    await expect(row).toContainText("Bubby Feder");
    await row
      .getByRole("button", { name: /Medicine/ })
      .first()
      .click();
    const message = desk.getByRole("dialog");
    await expect(message).toContainText("It is the blue one.");
    await message.getByLabel("Your reply").fill("It is in his bunk, and he knows.");
    await message.getByRole("button", { name: "Send Reply" }).click();
    const answer = await camp.mailTo("bubby@family.example", /^Re: Your message to/);
    expect(answer.text).toContain("It is in his bunk, and he knows.");
    for (const words of ["Medicine", "inhaler", "Bubby"]) expect(answer.text).not.toContain(words);

    await fillIn(page, { subject: "Last night's film", department: "Video team" });
    await send(page);
    await camp.mailTo("films@camp.example", /Last night's film/);
    expect(await camp.mailsTo("staff@camp.example", /film/)).toEqual([]);
  });

  test("somebody who writes too often is asked to wait and loses nothing, and a bot's message is dropped", async ({
    page,
    camp,
    somebody,
  }) => {
    const desk = await somebody();
    await staff(desk, camp);
    const stored = async () =>
      (await call<{ items: unknown[] }>(desk.request, "GET", "/api/admin/messages")).items.length;

    await page.goto("/contact");
    await fillIn(page);
    await page.locator("input[name=website]").evaluate((field: HTMLInputElement) => {
      field.value = "https://buy.example";
    });
    await send(page);
    await expect(toast(page)).toContainText("Message Sent!");
    await pause(500);
    expect(await stored()).toBe(0);
    expect(await camp.mails()).toEqual([]);

    for (let n = 1; n <= 5; n++) {
      await call(page.request, "POST", "/api/contact", {
        name: "Bubby Feder",
        email: "bubby@family.example",
        subject: `Question ${n}`,
        user_type: "guest",
        department: "staff",
        message: "And?",
      });
    }
    await page.getByRole("button", { name: "Send another message" }).click();
    await fillIn(page, { subject: "Question 6" });
    await send(page);
    await expect(page.getByRole("main").getByRole("alert")).toContainText(
      "You have sent several messages in the last hour.",
    );
    await expect(page.getByLabel("Subject")).toHaveValue("Question 6");
    await expect(page.getByLabel("Message")).toHaveValue(/blue one/);
    expect(await stored()).toBe(5);
  });
});

test("the footer's mailing list emails nobody who did not agree, and everybody can unsubscribe", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const letter = (subject: string) =>
    call<{ recipients: number }>(desk.request, "POST", "/api/admin/letters", {
      subject,
      body: "Shalom from camp.",
      audience: "both",
    });
  await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });

  await page.goto("/about");
  const box = page.getByRole("contentinfo").getByRole("region", { name: "Stay Updated" });
  await box.getByRole("button", { name: "Subscribe" }).click();
  await expect(box.getByText("Please enter your email.")).toBeVisible();
  await box.getByPlaceholder("Your email address").fill("bubby@");
  await box.getByRole("button", { name: "Subscribe" }).click();
  await expect(box.getByPlaceholder("Your email address")).toHaveAttribute("aria-invalid", "true");
  await box.getByPlaceholder("Your email address").fill("bubby@family.example");
  await box.getByRole("button", { name: "Subscribe" }).click();
  await expect(box.getByRole("status")).toContainText("bubby@family.example");

  const link = linkTo("/subscribe/confirm", await camp.mailTo("bubby@family.example", /Please confirm/));
  expect(await letter("Before she said yes")).toMatchObject({ recipients: 1 });
  await page.goto(link);
  await page.getByRole("button", { name: "Yes, sign me up" }).click();
  await expect(page.getByRole("heading", { name: "You are on the list" })).toBeVisible();
  await page.goto(link);
  await page.getByRole("button", { name: "Yes, sign me up" }).click();
  await expect(page.getByRole("alert")).toBeVisible();

  expect(await letter("Visiting day is on Sunday")).toMatchObject({ recipients: 2 });
  const mail = await camp.mailTo("bubby@family.example", /Visiting day is on Sunday/);
  await camp.mailTo("chaya@family.example", /Visiting day is on Sunday/);
  await page.goto(linkTo("/unsubscribe", mail));
  await page.getByRole("button", { name: "Stop newsletters from camp" }).click();
  await expect(page.getByText("No more newsletters from camp will go to b…y@family.example")).toBeVisible();
  expect(await letter("The buses are coming home")).toMatchObject({ recipients: 1 });
  await camp.mailTo("chaya@family.example", /buses are coming home/);
  expect(await camp.mailsTo("bubby@family.example", /Before she said yes|buses/)).toEqual([]);
});
