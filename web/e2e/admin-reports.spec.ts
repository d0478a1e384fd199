import { call, expect, parent, posted, staff, test, toast } from "./support/camp";
import { tabTo } from "./support/keyboard";
import { pause } from "./support/portal";
import { isSound } from "./support/sound";
import type { AdminVideo } from "./support/camp";
import type { Page } from "@playwright/test";

const row = (page: Page, title: string) =>
  page
    .getByRole("main")
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: title }) });
const bar = (page: Page) => page.getByRole("group", { name: "Selected videos" });
const videos = async (page: Page, query = "") =>
  (await call<{ items: AdminVideo[] }>(page.request, "GET", `/api/admin/videos${query}`)).items;

test("several drafts are published at once, every family is told about each, and several videos are deleted", async ({
  page,
  camp,
  somebody,
}) => {
  await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await parent(await somebody(), camp, { name: "Dovid Klein", email: "dovid@family.example" });
  await staff(page, camp);
  await posted(page, { title: "Opening day" });
  for (const title of ["Swim relay", "Campfire", "Hike"]) await posted(page, { title, status: "draft" });
  const visitor = await somebody();

  await page.goto("/admin/reports");
  await page.getByLabel("Select all shown").check();
  await expect(bar(page)).toContainText("4 selected");
  await row(page, "Hike").getByRole("checkbox").uncheck();
  await bar(page).getByRole("button", { name: "Publish" }).click();
  const publishing = page.getByRole("dialog", { name: "Publish 2 videos?" });
  await expect(publishing.getByRole("listitem")).toHaveText(["Campfire", "Swim relay"]);
  await expect(publishing).toContainText(
    "Families see them right away, and 4 emails go out. 1 more is already published.",
  );
  await publishing.getByRole("button", { name: "Publish and send 4 emails" }).click();
  await expect(toast(page)).toContainText("2 videos published and notifications sent!");
  await expect(bar(page)).toBeHidden();
  await expect(row(page, "Campfire")).toContainText("Published");
  await expect(row(page, "Hike")).toContainText("Draft");
  for (const family of ["chaya@family.example", "dovid@family.example"]) {
    for (const title of [/Campfire/, /Swim relay/, /Opening day/]) await camp.mailTo(family, title);
  }
  await visitor.goto("/current-videos");
  await expect(visitor.getByRole("link", { name: "Campfire" })).toBeVisible();

  await test.step("deleting names each of the videos", async () => {
    for (const title of ["Campfire", "Opening day"]) await row(page, title).getByRole("checkbox").check();
    await bar(page).getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Are you sure you want to delete these 2 videos?" });
    await expect(question.getByRole("listitem")).toHaveText(["Campfire", "Opening day"]);
    await question.getByRole("button", { name: "Cancel" }).click();
    expect(await videos(page)).toHaveLength(4);

    // If somebody else deletes one of them first, the action applies to all or none.
    const campfire = (await videos(page)).find(({ title }) => title === "Campfire")!;
    await bar(page).getByRole("button", { name: "Delete" }).click();
    await call(page.request, "DELETE", `/api/admin/videos/${campfire.id}`);
    await question.getByRole("button", { name: "Delete 2 videos" }).click();
    const after = page.getByRole("dialog", { name: /^Are you sure you want to delete/ });
    await expect(after.getByRole("alert")).toContainText("so nothing was done");
    expect((await videos(page)).map(({ title }) => title)).toEqual(["Hike", "Swim relay", "Opening day"]);
    await after.getByRole("button", { name: "Delete 1 video" }).click();
    await expect(toast(page)).toContainText("1 video deleted successfully");
    await expect(row(page, "Opening day")).toBeHidden();
    expect((await videos(page)).map(({ title }) => title)).toEqual(["Hike", "Swim relay"]);
  });

  // Nobody got an email twice, and nobody got one about the draft.
  await pause(1_000);
  for (const family of ["chaya@family.example", "dovid@family.example"])
    expect(await camp.mailsTo(family, /New video/)).toHaveLength(3);
});

test("reported comments are found, hidden and deleted from the drawer, until none is left", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp);
  const video = await posted(page, { title: "Campfire" });
  await posted(page, { title: "Swim relay" });
  const chaya = await somebody();
  await parent(chaya, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const said: string[] = [];
  for (const content of [
    "Unkind words",
    "Another address: spam.example",
    "What a night!",
    "We could hear them sing.",
  ]) {
    said.push((await call<{ id: string }>(chaya.request, "POST", `/api/videos/${video.id}/comments`, { content })).id);
  }
  const reader = await somebody();
  for (const id of said.slice(0, 2)) await call(reader.request, "POST", `/api/comments/${id}/report`, {});

  await page.goto("/admin/reports");
  await page.getByLabel("Filter by what needs attention").selectOption("With reported comments (1 video)");
  await expect(page).toHaveURL(/\/admin\/reports\?attention=reported_comments$/);
  await expect(page.getByLabel("Filter by what needs attention")).toHaveValue("reported_comments");
  await expect(row(page, "Campfire")).toContainText("2 reported comments");
  await expect(row(page, "Swim relay")).toBeHidden();
  await row(page, "Campfire")
    .getByRole("button", { name: /details of Campfire/ })
    .click();
  const drawer = page.getByRole("dialog", { name: "Campfire" });
  const comments = drawer.getByRole("list").getByRole("listitem");
  // Reported comments come first, although others are newer.
  await expect(comments).toContainText([/spam\.example/, /Unkind words/, /We could hear/, /What a night/]);
  await comments.filter({ hasText: "Unkind words" }).getByRole("button", { name: /^Hide/ }).click();
  await expect(toast(page)).toContainText("Comment hidden");
  await comments
    .filter({ hasText: "spam.example" })
    .getByRole("button", { name: /^Delete/ })
    .click();
  await page
    .getByRole("dialog", { name: "Delete the comment by Chaya Feder?" })
    .getByRole("button", { name: "Delete comment" })
    .click();
  await expect(toast(page)).toContainText("Comment deleted");
  await expect(comments).toHaveCount(3);
  await drawer.getByRole("button", { name: "Close" }).click();
  await expect(page.getByText("No videos with reported comments")).toBeVisible();

  const seen = await call<{ items: { content: string }[] }>(reader.request, "GET", `/api/videos/${video.id}/comments`);
  expect(seen.items.map(({ content }) => content)).toEqual(["We could hear them sing.", "What a night!"]);
  await page.getByRole("button", { name: "Show all videos" }).click();
  await expect(row(page, "Swim relay")).toBeVisible();
  await page.goto("/admin/dashboard");
  // Chaya signed up on her own.
  await expect(page.getByRole("link", { name: "1 family to approve" })).toBeVisible();
  await expect(page.getByRole("link", { name: /reported comment/ })).toBeHidden();
});

test.describe("Failed emails", () => {
  test.use({ post: "smtp" });

  test("are counted, found from the dashboard, and go out when staff send them again", async ({
    page,
    camp,
    somebody,
  }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await parent(await somebody(), camp, { name: "Dovid Klein", email: "dovid@family.example" });
    await staff(page, camp);
    camp.refuseMailTo("dovid@family.example");
    const video = await posted(page, { title: "Campfire" });
    await camp.mailTo("chaya@family.example", /Campfire/);
    const deliveries = () => call(page.request, "GET", `/api/admin/videos/${video.id}/deliveries`);
    await expect.poll(deliveries).toEqual({ queued: 0, collected: 0, sent: 1, failed: 1, suppressed: 0 });
    await posted(page, { title: "Swim relay", status: "draft" });

    await page.goto("/admin/dashboard");
    await page.getByRole("link", { name: "1 email about videos failed in the last seven days" }).click();
    await expect(page).toHaveURL(/\/admin\/mail\?about=videos$/);
    await expect(page.getByRole("button", { name: "Send again to dovid@family.example" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
    await page.goto("/admin/reports?attention=failed_mails");
    await expect(row(page, "Campfire")).toContainText("1 failed email");
    await expect(row(page, "Swim relay")).toBeHidden();
    await row(page, "Campfire")
      .getByRole("button", { name: /details of Campfire/ })
      .click();
    const drawer = page.getByRole("dialog", { name: "Campfire" });
    await expect(drawer.getByRole("region", { name: "Emails to families" })).toContainText("Queued0Sent1Failed1");

    camp.refuseMailTo();
    await drawer.getByRole("button", { name: "Retry 1 failed" }).click();
    await expect(toast(page)).toContainText("1 email on the way again");
    await camp.mailTo("dovid@family.example", /Campfire/);
    await expect.poll(deliveries).toEqual({ queued: 0, collected: 0, sent: 2, failed: 0, suppressed: 0 });
    await page.reload();
    await expect(page.getByText("No videos with emails that failed in 7 days")).toBeVisible();
    expect(await camp.mailsTo("chaya@family.example", /Campfire/)).toHaveLength(1);
    expect(await camp.mailsTo("dovid@family.example", /Campfire/)).toHaveLength(1);
  });
});

test("several videos are selected and published by keyboard alone, and the page stays accessible", async ({
  page,
  camp,
}) => {
  await staff(page, camp);
  for (const title of ["Swim relay", "Campfire"]) await posted(page, { title, status: "draft" });
  await page.goto("/admin/reports");
  await tabTo(page, page.getByLabel("Select all shown"));
  await page.keyboard.press("Space");
  await expect(bar(page)).toContainText("2 selected");
  await isSound(page, "the reports with videos chosen");
  await tabTo(page, row(page, "Swim relay").getByRole("checkbox"));
  await page.keyboard.press("Space");
  await expect(bar(page)).toContainText("1 selected");
  await tabTo(page, bar(page).getByRole("button", { name: "Publish" }));
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "Publish 1 video?" });
  await expect(question).toContainText("Families see it right away. No emails are sent.");
  await isSound(page, "the question before publishing");
  await tabTo(page, question.getByRole("button", { name: "Publish", exact: true }));
  await page.keyboard.press("Enter");
  await expect(toast(page)).toContainText("1 video published");
  await expect(row(page, "Campfire")).toContainText("Published");
  await expect(row(page, "Swim relay")).toContainText("Draft");
  await expect(page.getByRole("main")).toBeFocused();
});
