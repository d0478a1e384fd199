import { expect, onYouTube, parent, posted, staff, test, toast } from "./support/camp";
import { pause } from "./support/portal";

test.describe("Reports", () => {
  test("a draft stays hidden until it is published, can be corrected, and can be taken back", async ({
    page,
    camp,
    somebody,
  }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await staff(page, camp);
    const visitor = await somebody();

    await page.goto("/admin/reports?action=upload");
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("Swim realy");
    await form.getByLabel("Video URL").fill(onYouTube().link);
    await form.getByLabel("Status").selectOption("Draft");
    await form.getByRole("button", { name: "Save draft" }).click();
    await expect(toast(page)).toContainText("Video uploaded successfully");
    const row = page.getByRole("listitem").filter({ hasText: "Swim re" });
    await expect(row).toContainText("Draft");
    await visitor.goto("/current-videos");
    await expect(visitor.getByText("No videos uploaded for this year yet")).toBeVisible();

    // Editing a draft does not publish it.
    await row.getByRole("button", { name: "Edit Swim realy" }).click();
    const panel = page.getByRole("dialog", { name: "Edit video" });
    await panel.getByLabel("Video Title").fill("Swim relay");
    await expect(panel.getByRole("switch", { name: "Publish Immediately" })).not.toBeChecked();
    await panel.getByRole("button", { name: "Update Video", exact: true }).click();
    await expect(panel).toBeHidden();
    await expect(row).toContainText("Draft");

    await row.getByRole("button", { name: "Edit Swim relay" }).click();
    await panel.getByRole("switch", { name: "Publish Immediately" }).check();
    await expect(panel.getByRole("status").filter({ hasText: "published right away" })).toContainText(
      "1 person will be notified by email.",
    );
    await panel.getByRole("button", { name: "Update Video and notify 1 person" }).click();
    await expect(toast(page)).toContainText("Video updated successfully and notifications sent!");
    await expect(row).toContainText("Published");
    await camp.mailTo("chaya@family.example", /Swim relay/);
    await visitor.reload();
    await visitor.getByRole("link", { name: "Swim relay" }).click();
    await expect(visitor.getByText("No description available")).toBeVisible();

    await row.getByRole("button", { name: "Edit Swim relay" }).click();
    await panel.getByLabel("Description").fill("Six bunks, one wet baton.");
    await panel.getByRole("button", { name: "Update Video", exact: true }).click();
    await expect(panel).toBeHidden();
    await visitor.reload();
    await expect(visitor.getByText("Six bunks, one wet baton.")).toBeVisible();

    await row.getByRole("button", { name: "Edit Swim relay" }).click();
    await panel.getByRole("button", { name: "Set back to draft" }).click();
    await panel.getByRole("button", { name: "Update Video and set back to draft" }).click();
    const question = page.getByRole("dialog", { name: "Set a published video back to draft?" });
    await expect(question).toContainText("Swim relay");
    await question.getByRole("button", { name: "Set back to draft" }).click();
    await expect(row).toContainText("Draft");
    await visitor.reload();
    await expect(visitor.getByRole("heading", { name: "Video not found" })).toBeVisible();

    // The second publication sends no email.
    await row.getByRole("button", { name: "Edit Swim relay" }).click();
    await panel.getByRole("switch", { name: "Publish Immediately" }).check();
    await panel.getByRole("button", { name: "Update Video and publish" }).click();
    await expect(row).toContainText("Published");
    await pause(1_000);
    expect(await camp.mailsTo("chaya@family.example", /Swim relay/)).toHaveLength(1);
  });

  test("deleting a report asks first and names the video", async ({ page, camp }) => {
    await staff(page, camp);
    await posted(page, { title: "Swim relay" });
    await posted(page, { title: "Campfire" });
    await page.goto("/admin/reports");
    await page.getByRole("button", { name: "Delete Swim relay" }).click();
    const question = page.getByRole("dialog", { name: "Are you sure you want to delete this video?" });
    await expect(question).toContainText("Swim relay");
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("heading", { name: "Swim relay" })).toBeVisible();

    await page.getByRole("button", { name: "Delete Swim relay" }).click();
    await question.getByRole("button", { name: "Delete video" }).click();
    await expect(toast(page)).toContainText("Video deleted successfully");
    await expect(page.getByRole("heading", { name: "Swim relay" })).toBeHidden();
    await expect(page.getByRole("heading", { name: "Campfire" })).toBeVisible();
  });

  test("when two staff members edit the same video, nobody's text is lost", async ({ page, camp, somebody }) => {
    await staff(page, camp);
    const other = await somebody();
    await staff(other, camp, "feivel");
    await posted(page, { title: "Campfire" });
    for (const desk of [page, other]) {
      await desk.goto("/admin/reports");
      await desk.getByRole("button", { name: "Edit Campfire" }).click();
    }
    await other.getByLabel("Description").fill("With the whole camp.");
    await other.getByRole("button", { name: "Update Video" }).click();
    await expect(toast(other)).toContainText("Video updated successfully");

    await page.getByLabel("Video Title").fill("Campfire and songs");
    await page.getByRole("button", { name: "Update Video" }).click();
    await expect(page.getByRole("alert")).toContainText("Someone else changed this video while you were editing.");
    await page.getByRole("button", { name: "Reload and keep what I typed" }).click();
    await expect(page.getByLabel("Video Title")).toHaveValue("Campfire and songs");
    await expect(page.getByLabel("Description")).toHaveValue("With the whole camp.");
    await page.getByRole("button", { name: "Update Video" }).click();
    await expect(page.getByRole("heading", { name: "Campfire and songs" })).toBeVisible();
  });

  test("a report is found by a word in its title, and drafts by their status", async ({ page, camp }) => {
    await staff(page, camp);
    await posted(page, { title: "Swim relay · שווימען" });
    await posted(page, { title: "Campfire", status: "draft" });
    await page.goto("/admin/reports");
    await page.getByRole("searchbox", { name: "Search videos" }).fill("שװימען");
    await expect(page.getByText('Found 1 video(s) matching "שװימען"')).toBeVisible();
    await expect(page.getByRole("heading", { name: "Swim relay" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Campfire" })).toBeHidden();
    await page.getByRole("searchbox", { name: "Search videos" }).fill("nothing of the kind");
    await expect(page.getByText("No videos found")).toBeVisible();
    await page.getByRole("button", { name: "Clear Search", exact: true }).click();
    await page.getByRole("button", { name: "Drafts 1" }).click();
    await expect(page.getByRole("heading", { name: "Campfire" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Swim relay" })).toBeHidden();
  });
});

test.describe("Gallery", () => {
  test("a video of an earlier summer is added, moved to its right year and deleted, and nobody is mailed", async ({
    page,
    camp,
    somebody,
  }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await staff(page, camp);
    await page.goto("/admin/gallery");
    await expect(page.getByText("No Gallery Videos")).toBeVisible();
    await page.getByRole("button", { name: "Add First Video" }).click();

    const year = new Date().getFullYear();
    const adding = page.getByRole("dialog", { name: "Add Gallery Video" });
    await expect(adding.getByLabel("Camp Year").getByRole("option")).toHaveCount(10);
    await adding.getByRole("button", { name: "Add to Gallery" }).click();
    await expect(adding.getByText("Title is required")).toBeVisible();
    await adding.getByLabel("Video Title").fill("Visiting Day");
    await adding
      .getByLabel("Google Drive Video URL")
      .fill("https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/view?usp=sharing");
    await adding.getByRole("button", { name: "Add to Gallery" }).click();
    await expect(toast(page)).toContainText("Gallery video uploaded successfully!");
    await expect(page.getByRole("heading", { name: `Summer ${year - 1} (1 video)` })).toBeVisible();

    await page.getByRole("button", { name: "Edit Visiting Day" }).click();
    const editing = page.getByRole("dialog", { name: "Edit Gallery Video" });
    await expect(editing.getByLabel("Google Drive Video URL")).toHaveValue(
      "https://drive.google.com/file/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV/preview",
    );
    await editing.getByLabel("Camp Year").selectOption(String(year - 3));
    await editing.getByLabel("Video Title").fill("Visiting Day at the lake");
    await editing.getByRole("button", { name: "Update Video" }).click();
    await expect(toast(page)).toContainText("Gallery video updated successfully!");
    await expect(page.getByRole("heading", { name: `Summer ${year - 3} (1 video)` })).toBeVisible();
    await expect(page.getByRole("heading", { name: `Summer ${year - 1}` })).toBeHidden();

    const visitor = await somebody();
    await visitor.goto("/past-videos");
    await expect(visitor.getByRole("heading", { name: `Summer ${year - 3}` })).toBeVisible();
    await visitor.getByRole("link", { name: "Visiting Day at the lake" }).click();
    await expect(visitor.getByText("Archive", { exact: true })).toBeVisible();
    await expect(visitor.getByRole("button", { name: "Play Visiting Day at the lake" })).toContainText(
      "Plays from Google Drive",
    );

    await page.getByRole("button", { name: "Delete Visiting Day at the lake" }).click();
    const question = page.getByRole("dialog", { name: "Are you sure you want to delete this video?" });
    await expect(question).toContainText("Visiting Day at the lake");
    await question.getByRole("button", { name: "Delete video" }).click();
    await expect(page.getByText("No Gallery Videos")).toBeVisible();
    expect(await camp.mailsTo("chaya@family.example", /Visiting Day at/)).toEqual([]);
  });
});

test.describe("The staff sign-in", () => {
  test("a wrong password is reported on the page, and the username stays", async ({ page, camp }) => {
    await staff(page, camp);
    await page.context().clearCookies();
    await page.goto("/admin/gallery");
    await expect(page).toHaveURL(/\/admin\/login\?next=/);
    await page.getByLabel("Username").fill("miriam");
    await page.getByLabel("Password", { exact: true }).fill("not my password");
    await page.getByRole("button", { name: "Sign In" }).click();
    await expect(page.getByRole("alert")).toContainText(
      "Invalid username or password. Please check your credentials and try again.",
    );
    await expect(page.getByLabel("Username")).toHaveValue("miriam");
    await page.getByLabel("Password", { exact: true }).fill("lantern over the lake");
    await page.getByRole("button", { name: "Sign In" }).click();
    await expect(page.getByRole("heading", { name: "Gallery Management" })).toBeVisible();
  });

  test("somebody signed out in the middle of a form signs in above it and loses nothing", async ({ page, camp }) => {
    await staff(page, camp);
    // Waits for the last request that the page sends on its own. Such a request would notice the sign-out before the
    // button is pressed.
    const asked = page.waitForResponse("**/api/admin/uploads");
    await page.goto("/admin/reports?action=upload");
    await asked;
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("A long evening");
    await form.getByLabel("Video URL").fill(onYouTube().link);
    await expect(form.getByText("YouTube", { exact: true })).toBeVisible();
    await page.context().clearCookies();
    await form.getByRole("button", { name: "Publish" }).click();
    const door = page.getByRole("dialog", { name: "Please sign in again" });
    await expect(door).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(door).toBeVisible();
    await expect(door.getByLabel("Username")).toHaveValue("miriam");
    await door.getByLabel("Password", { exact: true }).fill("lantern over the lake");
    await door.getByRole("button", { name: "Sign In" }).click();
    await expect(door).toBeHidden();
    await expect(form.getByLabel("Title")).toHaveValue("A long evening");
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(page.getByRole("heading", { name: "A long evening" })).toBeVisible();
  });

  test("a parent's sign-in opens nothing of the staff area", async ({ page, camp, somebody }) => {
    await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    const desk = await somebody();
    await staff(desk, camp);
    await posted(desk, { title: "A secret draft", status: "draft" });
    await page.goto("/admin/reports");
    await expect(page.getByRole("heading", { name: "Staff Login" })).toBeVisible();
    for (const path of ["/api/admin/videos", "/api/admin/users", "/api/admin/settings"]) {
      expect((await page.request.get(path)).status(), path).toBe(401);
    }
  });
});
