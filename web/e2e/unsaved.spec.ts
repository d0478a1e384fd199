import { expect, staff, test } from "./support/camp";

test("Back, links and a press that ends outside never discard typed text without asking", async ({ page, camp }) => {
  await staff(page, camp);
  const menu = page.getByRole("complementary");
  await page.goto("/admin/messages");
  // Waits for the link's number, which appears with the scripts: before that, a link in the menu loads a new document.
  await menu.getByRole("link", { name: /^FAQ \d/ }).click();
  await page.getByRole("button", { name: "Add FAQ" }).first().click();
  const drawer = page.getByRole("dialog", { name: "Add FAQ" });
  await expect(drawer).toBeVisible();

  // Without unsaved text, Back closes only the topmost layer.
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(/\/admin\/faq$/);

  await page.getByRole("button", { name: "Add FAQ" }).first().click();
  await drawer.getByLabel("Question", { exact: true }).fill("What to pack?");
  await page.goBack();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(drawer.getByLabel("Question", { exact: true })).toHaveValue("What to pack?");
  await expect(page).toHaveURL(/\/admin\/faq$/);
  await page.goBack();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(drawer).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/\/admin\/messages$/);

  // A form in the page: every way of leaving the page asks first, and then continues to the target.
  await page.goto("/admin/dashboard");
  await menu.getByRole("link", { name: /^Users \d/ }).click();
  await page.getByRole("button", { name: "Add New User" }).first().click();
  await page.getByLabel("Parent Name").fill("Bluma Yarmush");
  const leave = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.goBack();
  await leave.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Parent Name")).toHaveValue("Bluma Yarmush");
  await menu.getByRole("link", { name: /^Store/ }).click();
  await leave.getByRole("button", { name: "Leave" }).click();
  await expect(page).toHaveURL(/\/admin\/store$/);
  await page.goBack();
  await page.getByLabel("Parent Name").fill("Bluma Yarmush");
  await page.goBack();
  await leave.getByRole("button", { name: "Leave" }).click();
  await expect(page).toHaveURL(/\/admin\/dashboard$/);

  // Selects text with the mouse and releases the button outside the dialog.
  await page.goto("/admin/account");
  await page.getByRole("button", { name: "Change password" }).click();
  const dialog = page.getByRole("dialog", { name: "Change your password" });
  const field = dialog.getByLabel("New password", { exact: true });
  await field.fill("a lantern by the lake");
  const box = (await field.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x - 200, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect(field).toHaveValue("a lantern by the lake");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(field).toHaveValue("a lantern by the lake");

  // Closing the tab shows the browser's own question.
  const asked = page.waitForEvent("dialog");
  const closing = page.close({ runBeforeUnload: true });
  const own = await asked;
  expect(own.type()).toBe("beforeunload");
  await own.dismiss();
  await closing;
});
