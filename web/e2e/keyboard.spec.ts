import { account, signInLink, expect, posted, parent, password, staff, test } from "./support/camp";
import { tabTo } from "./support/keyboard";

test("a parent signs in, watches and comments without a mouse", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await posted(desk, { title: "Campfire" });
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.context().clearCookies();

  await page.goto("/");
  await expect(page.getByRole("banner")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeInViewport();
  await tabTo(page, signInLink(page));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("main").getByLabel("Email"));
  await page.keyboard.type("chaya@family.example");
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await expect(account(page, "Chaya Feder")).toBeVisible();

  await tabTo(page, page.getByRole("region", { name: "Latest videos" }).getByRole("link", { name: "Campfire" }));
  await page.keyboard.press("Enter");
  const play = page.getByRole("button", { name: "Play Campfire" });
  await tabTo(page, play);
  await page.keyboard.press("Enter");
  await expect(page.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
  await tabTo(page, page.getByRole("button", { name: "0 Like" }));
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "1 Liked" })).toBeFocused();
  await tabTo(page, page.getByLabel("Your comment"));
  await page.keyboard.type("Typed, not clicked");
  await tabTo(page, page.getByRole("button", { name: "Post comment" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Comments" }).getByRole("listitem")).toContainText(
    "Typed, not clicked",
  );

  // The dialog traps the focus, and returns it when the dialog closes.
  const remove = page.getByRole("button", { name: "Delete comment by Chaya Feder" });
  await tabTo(page, remove);
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "Delete your comment?" });
  await expect(question).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(remove).toBeFocused();
});

test("staff post, edit and delete a video without a mouse", async ({ page, camp }) => {
  await staff(page, camp);
  await page.goto("/admin/reports");
  await tabTo(page, page.getByRole("button", { name: "Upload New Report" }));
  await page.keyboard.press("Enter");
  const form = page.getByRole("region", { name: "New report" });
  await expect(form.getByLabel("Title")).toBeFocused();
  await page.keyboard.type("Campfire");
  await tabTo(page, form.getByLabel("Video URL"));
  await page.keyboard.type("https://youtu.be/dQw4w9WgXcQ");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Campfire" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Upload New Report" })).toBeFocused();

  const edit = page.getByRole("button", { name: "Edit Campfire" });
  await tabTo(page, edit);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Video Title")).toBeFocused();
  await page.keyboard.type(" songs");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Discard your changes?" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Discard your changes?" })).toBeHidden();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Edit video" })).toBeHidden();

  const remove = page.getByRole("button", { name: /^Delete / });
  await tabTo(page, remove);
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "Delete video" }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("No videos uploaded yet")).toBeVisible();
});
