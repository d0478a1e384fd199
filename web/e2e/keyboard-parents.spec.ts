import { account, call, demoTest, expect, password, staff, test, toast, told } from "./support/camp";
import { tabTo } from "./support/keyboard";

test("a visitor reads the news and creates an account without a mouse", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  for (let n = 1; n <= 4; n++) await told(desk, { title: `News ${n}` });
  await page.goto("/");
  const more = page.getByRole("button", { name: "Show All Updates (2 more)" });
  await tabTo(page, more);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Show Less" })).toBeFocused();
  await tabTo(page, page.getByRole("link", { name: "News 1" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "News 1", level: 1 })).toBeVisible();
  await tabTo(page, page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: "Sign Up for Notifications" }));
  await page.keyboard.press("Enter");
  for (const [label, value] of [
    ["Your Name", "Chaya Feder"],
    ["Child's Name", "Mendy"],
    ["Email", "chaya@family.example"],
    ["Password", password],
  ] as const) {
    const field = page.getByRole("main").getByLabel(label, { exact: true });
    if (!(await field.evaluate((element) => element === document.activeElement))) await tabTo(page, field);
    await page.keyboard.type(value);
  }
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Account Created");
  await expect(account(page, "Chaya Feder")).toBeVisible();

  await tabTo(page, page.getByRole("button", { name: "Customize Notifications" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("switch", { name: "Daily videos" })).toBeFocused();
  await tabTo(page, page.getByRole("switch", { name: "Camp updates" }));
  await page.keyboard.press("Space");
  await tabTo(page, page.getByRole("complementary").getByRole("button", { name: "Save" }));
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Preferences Saved! ✅");
  expect(await call(page.request, "GET", "/api/profile")).toMatchObject({ camp_updates_email: true });
});

test("a family corrects its name, asks a question and writes to the camp without a mouse", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await call(page.request, "POST", "/api/auth/sign-up", {
    name: "Chaya Feder",
    email: "chaya@family.example",
    password,
    user_type: "parent",
    child_name: "Mendy",
    email_notifications: true,
    daily_video_email: true,
    camp_updates_email: false,
  });
  await page.goto("/profile");
  await tabTo(page, page.getByRole("button", { name: "Edit" }));
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Full name")).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("Chaya Klein");
  await page.keyboard.press("Enter");
  await expect(account(page, "Chaya Klein")).toBeVisible();

  await page.goto("/faq");
  const question = page.locator("summary").nth(2);
  await tabTo(page, question);
  await page.keyboard.press("Enter");
  await expect(page.locator("details[open]")).toHaveCount(1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(page.locator("details[open]")).toHaveCount(1);
  await tabTo(page, page.getByRole("link", { name: "Contact Support" }));
  await page.keyboard.press("Enter");

  await tabTo(page, page.getByRole("radio", { name: "Parent" }));
  await tabTo(page, page.getByRole("radio", { name: "Camp staff" }));
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: "Video team" })).toBeChecked();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("radio", { name: "Camp staff" })).toBeChecked();
  await tabTo(page, page.getByLabel("Subject"));
  await page.keyboard.type("Medicine");
  await tabTo(page, page.getByLabel("Message"));
  await page.keyboard.type("The blue one.");
  await tabTo(page, page.getByRole("button", { name: "Send Message" }));
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Message Sent!");
  const { items } = await call<{ items: { subject: string; department: string; user_type: string }[] }>(
    desk.request,
    "GET",
    "/api/admin/messages",
  );
  expect(items).toMatchObject([{ subject: "Medicine", department: "staff", user_type: "parent" }]);
});

demoTest("somebody finds an old video in the gallery without a mouse", async ({ page }) => {
  await page.goto("/past-videos");
  const summers = page.locator("summary");
  await expect(summers.nth(1)).toBeVisible();
  await tabTo(page, summers.first());
  await page.keyboard.press("Enter");
  await expect(page.locator("details[open]")).toHaveCount(0);
  await page.keyboard.press("Tab");
  await expect(summers.nth(1)).toBeFocused();
  await page.keyboard.press("Space");
  const first = page.locator("details[open]").getByRole("article").first().getByRole("link");
  await tabTo(page, first);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox", { name: "Search videos" })).toBeFocused();
  await page.keyboard.type("grand siyum");
  await expect(page.getByRole("heading", { name: /^Search Results/ })).toBeVisible();
  await tabTo(page, page.getByRole("article").first().getByRole("link"));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Comments" })).toBeVisible();

  // Escape closes the share menu and returns the focus to its button.
  const share = page.getByRole("button", { name: "Share" });
  await tabTo(page, share);
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: "WhatsApp" }));
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: "WhatsApp" })).toBeHidden();
  await expect(share).toBeFocused();
});
