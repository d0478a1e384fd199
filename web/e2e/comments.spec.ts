import { call, expect, parent, posted, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";

test("a comment is deleted by its author, reported by a reader and hidden by staff", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const video = await posted(desk, { title: "Campfire" });
  const reader = await somebody();
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await parent(reader, camp, { name: "Dovid Klein", email: "dovid@family.example" });
  const panel = page.getByRole("region", { name: "Comments" });

  await page.goto(`/video/${video.id}`);
  for (const text of ["Not what I meant", "שיין געזונגען! 🔥", "Something unkind"]) {
    await page.getByLabel("Your comment").fill(text);
    await page.getByRole("button", { name: "Post comment" }).click();
    await expect(panel.getByRole("listitem").first()).toContainText(text);
  }
  await expect(panel.getByRole("listitem")).toHaveCount(3);

  await test.step("the author deletes her own", async () => {
    const mine = panel.getByRole("listitem").filter({ hasText: "Not what I meant" });
    await mine.getByRole("button", { name: "Delete comment by Chaya Feder" }).click();
    const question = page.getByRole("dialog", { name: "Delete your comment?" });
    await expect(question).toContainText("Not what I meant");
    await question.getByRole("button", { name: "Delete comment" }).click();
    await expect(mine).toBeHidden();
    await expect(panel.getByRole("listitem")).toHaveCount(2);
  });

  await test.step("a reader cannot delete it, but reports it", async () => {
    await reader.goto(`/video/${video.id}`);
    const theirs = reader.getByRole("listitem").filter({ hasText: "Something unkind" });
    await expect(theirs.getByRole("button", { name: "Delete" })).toBeHidden();
    await theirs.getByRole("button", { name: "Report comment by Chaya Feder" }).click();
    await reader.getByRole("radio", { name: "It is too private" }).check();
    await reader.getByLabel("In your own words").fill("It names a child.");
    await reader.getByRole("dialog").getByRole("button", { name: "Report comment" }).click();
    await expect(toast(reader)).toContainText("Comment reported");
  });

  await test.step("staff see the report first and hide the comment", async () => {
    await desk.goto("/admin/reports");
    await desk.getByRole("button", { name: /details of Campfire/ }).click();
    const drawer = desk.getByRole("dialog", { name: "Campfire" });
    const first = drawer.getByRole("listitem").first();
    await expect(first).toContainText("Something unkind");
    await expect(first).toContainText("Reported by 1 reader");
    await expect(first).toContainText("Too private");
    await expect(first).toContainText("It names a child.");
    await first.getByRole("button", { name: "Hide comment by Chaya Feder" }).click();
    await expect(toast(desk)).toContainText("Families no longer see it.");
    await expect(drawer.getByRole("listitem").filter({ hasText: "Something unkind" })).toContainText("Hidden");
    await reader.reload();
    await expect(reader.getByText("שיין געזונגען! 🔥")).toBeVisible();
    await expect(reader.getByText("Something unkind")).toBeHidden();
    await expect(reader.getByText("1 comment", { exact: true })).toBeVisible();
  });
});

test("staff work through the reported comments of all videos with the keyboard, until none is left", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp);
  const campfire = await posted(page, { title: "Campfire" });
  const relay = await posted(page, { title: "Swim relay" });
  const chaya = await somebody();
  await parent(chaya, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const readers = [await somebody(), await somebody()];
  const said: { video: string; content: string; reports: [string, string | null][] }[] = [
    { video: campfire.id, content: "Mine is the fastest", reports: [["unkind", "It hurts others"]] },
    {
      video: relay.id,
      content: "Call 845-555-0199",
      reports: [
        ["private", null],
        ["advertising", "A phone number"],
      ],
    },
    { video: relay.id, content: "What a night!", reports: [] },
  ];
  for (const { video, content, reports } of said) {
    const path = `/api/videos/${video}/comments`;
    const { id } = await call<{ id: string }>(chaya.request, "POST", path, { content });
    for (const [i, [category, reason]] of reports.entries())
      await call(readers[i]!.request, "POST", `/api/comments/${id}/report`, { category, reason });
  }

  await page.goto("/admin/dashboard");
  const side = page.getByRole("navigation", { name: "Staff area" }).first();
  await expect(side.getByRole("link", { name: /^Comments/ })).toContainText("2 to review");
  await page.getByRole("link", { name: "2 reported comments" }).click();
  await expect(page).toHaveURL(/\/admin\/comments\?filter=reported$/);
  await side.getByRole("link", { name: /^Comments/ }).click();
  await expect(page).toHaveURL(/\/admin\/comments$/);
  const queue = page.getByRole("list", { name: "To review" }).getByRole("listitem");
  await expect(queue).toContainText([/Campfire[^]*Mine is the fastest/, /Swim relay[^]*845-555-0199/]);
  await expect(queue.nth(0)).toContainText("It hurts others");
  await expect(queue.nth(1)).toContainText("Reported by 2 readers");
  await expect(queue.nth(1)).toContainText("Too private");
  await expect(queue.nth(1)).toContainText("A phone number");
  await isSound(page, "the queue of comments");

  await test.step("staff keep the first comment and undo that", async () => {
    await page.keyboard.press("j");
    await expect(queue.nth(0)).toBeFocused();
    await page.keyboard.press("a");
    await expect(page.getByText("Comment kept")).toBeVisible();
    await expect(queue).toHaveCount(1);
    await expect(queue.first()).toBeFocused();
    await page.keyboard.press("u");
    await expect(queue).toHaveCount(2);
    await expect(queue.nth(0)).toBeFocused();
    await page.keyboard.press("a");
    await expect(queue).toHaveCount(1);
  });

  await test.step("they hide the second one, and nothing is left", async () => {
    await expect(queue.first()).toBeFocused();
    await page.keyboard.press("h");
    await expect(page.getByText("Comment hidden")).toBeVisible();
    await expect(page.getByText("No reader reported a comment, and none waits to be read first.")).toBeVisible();
    await expect(side.getByRole("link", { name: /^Comments/ })).not.toContainText("to review");
    await page.goto("/admin/dashboard");
    await expect(page.getByText("Next video").or(page.getByText("to approve")).first()).toBeVisible();
    await expect(page.getByRole("link", { name: /reported comment/ })).toBeHidden();
  });

  const left = async (video: string) =>
    (
      await call<{ items: { content: string }[] }>(readers[0]!.request, "GET", `/api/videos/${video}/comments`)
    ).items.map(({ content }) => content);
  expect(await left(campfire.id)).toEqual(["Mine is the fastest"]);
  expect(await left(relay.id)).toEqual(["What a night!"]);

  await test.step("they search and filter the other comments", async () => {
    await page.goto("/admin/comments?filter=hidden");
    await expect(page.getByRole("list", { name: "Hidden" })).toContainText("845-555-0199");
    await page.getByRole("button", { name: /^All/ }).click();
    await page.getByRole("searchbox", { name: "Search comments" }).fill("campfire");
    const all = page.getByRole("list", { name: "All" }).getByRole("listitem");
    await expect(all).toHaveCount(1);
    await all.getByRole("link", { name: "Campfire" }).click();
    await expect(page).toHaveURL(new RegExp(`/video/${campfire.id}$`));
  });
});

test("a signed-out visitor reads comments and is led to sign in before writing one", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const video = await posted(desk, { title: "Campfire" });
  const chaya = await somebody();
  await parent(chaya, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await call(chaya.request, "POST", `/api/videos/${video.id}/comments`, { content: "Lovely!" });

  await page.goto(`/video/${video.id}`);
  await expect(page.getByText("Lovely!")).toBeVisible();
  await expect(page.getByPlaceholder("Please sign in to post a comment")).toBeDisabled();
  await expect(page.getByRole("button", { name: "Post comment" })).toBeDisabled();
  await page.getByRole("link", { name: "Sign in to comment" }).click();
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await page.goBack();
  await page.getByRole("button", { name: "0 Like" }).click();
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
});

test("malicious code in a name, a title and a comment is shown as plain text", async ({ page, camp, somebody }) => {
  const hostile = `<img src=x onerror="document.title='owned'"><script>alert(1)</script> & "quotes"`;
  const desk = await somebody();
  await staff(desk, camp);
  await parent(page, camp, { name: "Chaya <b>Feder</b>", email: "chaya@family.example" });
  const video = await posted(desk, { title: hostile, description: hostile });
  await page.goto(`/video/${video.id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(hostile);
  await page.getByLabel("Your comment").fill(hostile);
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Chaya <b>Feder</b>" })).toContainText(hostile);
  await expect(page).toHaveTitle(`${hostile} - Visiting Day`);
  const mail = await camp.mailTo("chaya@family.example", /New video/);
  expect(mail.subject).toBe(`New video: ${hostile}`);
  expect(mail.html).not.toContain("<script>");
});
