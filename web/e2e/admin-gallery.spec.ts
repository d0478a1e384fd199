import { call, expect, posted, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { isSound } from "./support/sound";
import type { AdminVideo } from "./support/camp";
import type { Page } from "@playwright/test";

const year = new Date().getFullYear();
const archive = async (page: Page) =>
  (await call<{ items: AdminVideo[] }>(page.request, "GET", "/api/admin/videos?collection=archive")).items;
const added = (page: Page, title: string, of = year - 1) =>
  call<{ video: AdminVideo }>(page.request, "POST", "/api/admin/gallery", {
    title,
    year: of,
    video_url: "https://youtu.be/dQw4w9WgXcQ",
  });

test("summers are in order, only staff see drafts, and a canceled deletion deletes nothing", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp);
  await posted(page, { title: "This summer's" });
  await added(page, "Bonfire", year - 2);
  await added(page, "Visiting Day");
  await page.goto("/admin/gallery");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([
    `Summer ${year - 1} (1 video)`,
    `Summer ${year - 2} (1 video)`,
  ]);
  await expect(page.getByRole("button", { name: "Edit Visiting Day" })).toBeVisible();
  await expect(page.getByText("Bonfire")).toBeHidden();
  await page.getByRole("heading", { name: `Summer ${year - 2}` }).click();
  await expect(page.getByRole("button", { name: "Edit Bonfire" })).toBeVisible();
  await expect(page.getByText("This summer's")).toHaveCount(0);

  await page.keyboard.press("/");
  await page.keyboard.type("visit");
  await expect(page).toHaveURL("/admin/gallery?q=visit");
  await expect(page.getByRole("status").filter({ hasText: "Found" })).toHaveText('Found 1 video(s) matching "visit"');
  await expect(page.getByRole("button", { name: "Edit Visiting Day" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL("/admin/gallery");
  await page.getByRole("heading", { name: `Summer ${year - 2}` }).click();

  // Changing it back to a draft hides it from families, so a dialog asks first.
  await page.getByRole("button", { name: "Edit Bonfire" }).click();
  const editing = page.getByRole("dialog", { name: "Edit Gallery Video" });
  await editing.getByLabel("Status").selectOption("Draft");
  await editing.getByRole("button", { name: "Set back to draft" }).click();
  await page
    .getByRole("dialog", { name: "Set a published video back to draft?" })
    .getByRole("button", { name: "Set back to draft" })
    .click();
  await expect(toast(page)).toContainText("Gallery video updated successfully!");
  await expect(page.getByRole("row").filter({ hasText: "Bonfire" })).toContainText("Draft");
  const visitor = await somebody();
  await visitor.goto("/past-videos");
  await expect(visitor.getByRole("main").getByRole("link", { name: "Visiting Day" })).toBeVisible();
  await expect(visitor.getByText(`Summer ${year - 2}`)).toHaveCount(0);

  await page.getByRole("button", { name: "Delete Visiting Day" }).click();
  const question = page.getByRole("dialog", { name: "Are you sure you want to delete this video?" });
  await expect(question).toContainText("Visiting Day");
  await question.getByRole("button", { name: "Cancel" }).click();
  expect((await archive(page)).map(({ title }) => title)).toEqual(["Visiting Day", "Bonfire"]);
});

test("two staff members editing one gallery video do not undo each other", async ({ page, camp, somebody }) => {
  await staff(page, camp);
  const other = await somebody();
  await staff(other, camp, "feivel");
  await added(page, "Visiting Day");
  for (const desk of [page, other]) {
    await desk.goto("/admin/gallery");
    await desk.getByRole("button", { name: "Edit Visiting Day" }).click();
  }
  await other.getByLabel("Description").fill("With the whole camp.");
  await other.getByRole("button", { name: "Update Video" }).click();
  await expect(toast(other)).toContainText("Gallery video updated successfully!");
  await page.getByLabel("Video Title").fill("Visiting Day at the lake");
  await page.getByRole("button", { name: "Update Video" }).click();
  await expect(page.getByRole("alert")).toContainText("Someone else changed this video while you were editing.");
  await page.getByRole("button", { name: "Reload and keep what I typed" }).click();
  await expect(page.getByLabel("Description")).toHaveValue("With the whole camp.");
  await page.getByRole("button", { name: "Update Video" }).click();
  await expect(toast(page)).toContainText("Gallery video updated successfully!");
  expect((await archive(page)).map(({ title, description }) => [title, description])).toEqual([
    ["Visiting Day at the lake", "With the whole camp."],
  ]);
});

test("a video is added, edited and deleted by keyboard alone, and the pages are sound", async ({ page, camp }) => {
  await staff(page, camp);
  await page.goto("/admin/gallery");
  await tabTo(page, page.getByRole("button", { name: "Add First Video" }));
  await page.keyboard.press("Enter");
  const adding = page.getByRole("dialog", { name: "Add Gallery Video" });
  await expect(adding.getByLabel("Video Title")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(adding.getByText("Title is required")).toBeVisible();
  await isSound(page, "the gallery dialog with complaints");
  await adding.getByLabel("Video Title").focus();
  await page.keyboard.type("Visiting Day");
  await tabTo(page, adding.getByLabel("Camp Year"));
  await page.keyboard.press("ArrowDown");
  await tabTo(page, adding.getByLabel("Google Drive Video URL"));
  await page.keyboard.type("https://youtu.be/dQw4w9WgXcQ");
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("Gallery video uploaded successfully!");
  await expect(page.getByRole("heading", { name: `Summer ${year - 2} (1 video)` })).toBeVisible();
  await isSound(page, "the gallery with a summer");

  const edit = page.getByRole("button", { name: "Edit Visiting Day" });
  await tabTo(page, edit);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Video Title")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();
  await tabTo(page, page.getByRole("button", { name: "Delete Visiting Day" }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Delete video" }));
  await page.keyboard.press("Enter");
  await expect(page.getByText("No Gallery Videos")).toBeVisible();
  expect(await archive(page)).toEqual([]);
});
