import type { components } from "../src/api/schema.gen";
import { call, expect, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

const entries = async (page: Page) =>
  (await call<{ items: Schemas["AdminFaq"][] }>(page.request, "GET", "/api/admin/faq")).items;
const add = (page: Page, question: string, change: Partial<Schemas["NewFaq"]> = {}) =>
  call<Schemas["AdminFaq"]>(page.request, "POST", "/api/admin/faq", {
    question,
    answer: "Yes.",
    category: "Policies",
    is_published: true,
    topic: null,
    ...change,
  });
const row = (page: Page, question: string) =>
  page
    .getByRole("main")
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: question, level: 3 }) });
const figure = (page: Page, label: string) =>
  page.getByLabel("Figures").getByText(label, { exact: true }).locator("..");
const asked = (page: Page) => page.getByRole("main").locator("details").getByRole("heading");

/** A camp without any entries. */
async function empty(page: Page) {
  for (const { id } of await entries(page)) await call(page.request, "DELETE", `/api/admin/faq/${id}`);
}

test.describe("FAQ", () => {
  test("a question is written, previewed as families see it, published, unpublished and deleted", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    expect(await entries(page)).toHaveLength(10);
    await empty(page);
    const guest = await somebody();
    await guest.goto("/faq");
    await expect(guest.getByText("No questions here yet")).toBeVisible();
    await page.goto("/admin/faq");
    await page.getByRole("button", { name: "Add First FAQ" }).click();
    const panel = page.getByRole("dialog", { name: "Add FAQ" });
    const save = panel.getByRole("button", { name: /^(Add and publish|Save draft)$/ });
    await save.click();
    for (const words of ["Please enter a question.", "Please enter an answer."])
      await expect(panel.getByText(words)).toBeVisible();
    await panel.getByLabel("Question").fill("May we bring a dog?");
    await panel.getByLabel("Category").selectOption("Policies");
    await panel.getByLabel("Answer").fill("Please ask at");
    await panel.getByRole("button", { name: "Add {contact_email}" }).click();
    await expect(panel.getByRole("region", { name: "Preview" })).toContainText("Please ask at office@camp.example");
    await panel.getByRole("checkbox", { name: "Published" }).uncheck();
    await page.route(
      "**/api/admin/faq",
      (route) => (route.request().method() === "POST" ? route.fulfill({ status: 500, body: "no" }) : route.fallback()),
      { times: 1 },
    );
    await save.click();
    await expect(panel.getByRole("alert")).toBeVisible();
    await expect(panel.getByLabel("Answer")).toHaveValue("Please ask at {contact_email}");
    await save.dblclick();
    await expect(toast(page)).toContainText("FAQ AddedIt is kept as a draft.");
    const dog = row(page, "May we bring a dog?");
    await expect(dog).toContainText(/Draft.*Policies/s);
    await expect(figure(page, "Draft")).toContainText("1");
    await guest.reload();
    await expect(guest.getByText("No questions here yet")).toBeVisible();

    await dog.getByRole("button", { name: /^Publish/ }).click();
    await expect(toast(page)).toContainText("FAQ Published");
    await expect(figure(page, "Published")).toContainText("1");
    await guest.reload();
    await guest.getByText("May we bring a dog?").click();
    await expect(guest.getByText("Please ask at office@camp.example")).toBeVisible();
    await expect.poll(async () => (await entries(page))[0]?.views).toBe(1);

    await dog.getByRole("button", { name: "Edit May we bring a dog?" }).click();
    const edit = page.getByRole("dialog", { name: "Edit FAQ" });
    await edit.getByLabel("Answer").fill("No. Goats are welcome.");
    await edit.getByRole("button", { name: "Save FAQ" }).click();
    await expect(toast(page)).toContainText("FAQ Updated");
    await expect(figure(page, "Total Views")).toContainText("1");
    await guest.reload();
    await expect(guest.getByText("Goats are welcome.")).toBeVisible();

    await dog.getByRole("button", { name: /^Unpublish/ }).click();
    await expect(toast(page)).toContainText("FAQ Unpublished");
    await guest.reload();
    await expect(guest.getByText("No questions here yet")).toBeVisible();
    await dog.getByRole("button", { name: "Delete May we bring a dog?" }).click();
    const question = page.getByRole("dialog", { name: "Delete this question?" });
    await expect(question).toContainText("May we bring a dog?");
    await question.getByRole("button", { name: "Delete question" }).click();
    await expect(toast(page)).toContainText("FAQ Deleted");
    await expect(page.getByText("No questions yet")).toBeVisible();
    expect(await entries(page)).toEqual([]);
  });

  test("families see the questions in the order that staff set by dragging or with the keyboard", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    await empty(page);
    for (const question of ["Alef?", "Beis?", "Gimmel?"]) await add(page, question);
    await page.goto("/admin/faq");
    await row(page, "Gimmel?").dragTo(row(page, "Alef?"));
    await expect(page.getByRole("status").filter({ hasText: "Gimmel?: now number 1 of 3." })).toBeAttached();
    await expect
      .poll(async () => (await entries(page)).map(({ question }) => question))
      .toEqual(["Gimmel?", "Alef?", "Beis?"]);

    await tabTo(page, page.getByRole("button", { name: /^Move Alef\?/ }));
    await page.keyboard.press("ArrowDown");
    await expect
      .poll(async () => (await entries(page)).map(({ question }) => question))
      .toEqual(["Gimmel?", "Beis?", "Alef?"]);
    await expect(page.getByRole("button", { name: /^Move Alef\?, number 3/ })).toBeFocused();
    // Presses keys faster than the server responds.
    for (const key of ["ArrowUp", "ArrowUp", "ArrowDown"]) await page.keyboard.press(key);
    await expect
      .poll(async () => (await entries(page)).map(({ question }) => question))
      .toEqual(["Gimmel?", "Alef?", "Beis?"]);
    const guest = await somebody();
    // After the first of the three keys the order is the same as after the last one, so the page may still change in
    // between.
    await expect(async () => {
      await guest.goto("/faq");
      await expect(asked(guest)).toHaveText(["Gimmel?", "Alef?", "Beis?"], { timeout: 1_000 });
    }).toPass();
  });

  test("questions are found by word and by category, and two people editing one lose nothing", async ({
    page,
    camp,
    somebody,
  }) => {
    await staff(page, camp);
    await empty(page);
    await add(page, "May we bring a dog?");
    const hat = await add(page, "Does he need a hat?", { category: "What to Bring", answer: "Two." });
    await page.goto("/admin/faq");
    const rows = page.getByRole("main").getByRole("listitem");
    for (const [category, found] of [
      ["Schedule", 0],
      ["What to Bring", 1],
      ["Safety & Security", 0],
      ["Policies", 1],
      ["Communication", 0],
      ["All", 2],
    ] as const) {
      await page.getByRole("button", { name: category, exact: true }).click();
      await expect(rows, category).toHaveCount(found);
    }
    await page.getByRole("searchbox", { name: "Search FAQs" }).fill("two");
    await expect(rows).toHaveCount(1);
    await expect(page).toHaveURL(/\?q=two$/);
    await expect(page.getByRole("button", { name: /^Move/ })).toBeDisabled();

    await page.getByRole("button", { name: "Edit Does he need a hat?" }).click();
    const edit = page.getByRole("dialog", { name: "Edit FAQ" });
    await edit.getByLabel("Question").fill("How many hats?");
    const colleague = await somebody();
    await staff(colleague, camp, "yitty");
    await call(colleague.request, "PATCH", `/api/admin/faq/${hat.id}`, {
      version: hat.version,
      answer: "Three: two get lost.",
    });
    await edit.getByRole("button", { name: "Save FAQ" }).click();
    await expect(edit.getByRole("alert")).toContainText("Someone else changed this question while you were editing.");
    await edit.getByRole("button", { name: "Reload and keep what I typed" }).click();
    await expect(edit.getByLabel("Answer")).toHaveValue("Three: two get lost.");
    await edit.getByRole("button", { name: "Save FAQ" }).click();
    await expect(edit).toBeHidden();
    expect((await entries(page)).find(({ id }) => id === hat.id)).toMatchObject({
      question: "How many hats?",
      answer: "Three: two get lost.",
    });
  });
});
