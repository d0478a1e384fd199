import { call, expect, parent, posted, staff, test, toast } from "./support/camp";

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
    await reader.getByLabel("What is wrong with it?").fill("It names a child.");
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
    await first.getByRole("button", { name: "Hide comment by Chaya Feder" }).click();
    await expect(toast(desk)).toContainText("Families no longer see it.");
    await expect(drawer.getByRole("listitem").filter({ hasText: "Something unkind" })).toContainText("Hidden");
    await reader.reload();
    await expect(reader.getByText("שיין געזונגען! 🔥")).toBeVisible();
    await expect(reader.getByText("Something unkind")).toBeHidden();
    await expect(reader.getByText("1 comment", { exact: true })).toBeVisible();
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

test("hostile words in a name, a title and a comment stay words", async ({ page, camp, somebody }) => {
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
