import { expect, hold, parent, posted, signIn, staff, test, toast } from "./support/camp";

const text = "Mendy needs his inhaler.\n\nIt is the blue one.";

test("a half-typed message survives a link and Back, a reload and signing in, and stays readable once it is sent", async ({
  page,
  camp,
  somebody,
}) => {
  await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto("/contact");
  await page.getByLabel("Subject").fill("Medicine");
  await page.getByLabel("Message").fill(text);
  await page.getByRole("radio", { name: "Camp staff" }).check();
  await page.getByRole("banner").getByRole("link", { name: "FAQ" }).click();
  await expect(page).toHaveURL("/faq");
  await page.goBack();
  await expect(page.getByLabel("Message")).toHaveValue(text);
  await page.reload();
  await expect(page.getByLabel("Message")).toHaveValue(text);
  await expect(page.getByRole("radio", { name: "Camp staff" })).toBeChecked();

  await page.goto("/auth?next=/contact");
  await signIn(page, "chaya@family.example");
  await expect(page).toHaveURL("/contact");
  await expect(page.getByLabel("Subject")).toHaveValue("Medicine");
  await expect(page.getByLabel("Message")).toHaveValue(text);
  await page.getByLabel("Your Name").fill("Chaya Feder");
  await page.getByRole("main").getByLabel("Email").fill("chaya@family.example");
  await page.getByRole("radio", { name: "Parent" }).check();
  await page.getByRole("button", { name: "Send Message" }).click();
  await expect(toast(page)).toContainText("Message Sent!");

  const sent = page.getByRole("region", { name: "Your message was sent" });
  await expect(sent).toContainText("It is the blue one.");
  await expect(sent).toContainText("A copy is on its way to chaya@family.example.");
  const copy = await camp.mailTo("chaya@family.example", /got your message/);
  expect(copy.text).toContain("> It is the blue one.");
  await page.reload();
  await expect(sent).toContainText("It is the blue one.");
  await sent.getByRole("button", { name: "Send another message" }).click();
  await expect(sent).toBeHidden();
  await expect(page.getByLabel("Message")).toHaveValue("");

  // Signing out deletes unsent text.
  await page.getByLabel("Message").fill("And another thing");
  await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
  await expect(toast(page)).toContainText("Signed Out");
  await expect(page.getByLabel("Message")).toHaveValue("");
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("another thing");
});

test("a half-typed message is not lost when somebody goes on typing before the page knows who is signed in", async ({
  page,
}) => {
  await page.goto("/contact");
  await page.getByLabel("Subject").fill("Medicine");
  await page.getByLabel("Message").fill(text);
  const release = await hold(page, "**/api/session");
  await page.reload({ waitUntil: "commit" });
  await page.getByLabel("Your Name").fill("Chaya Feder");
  await page.getByRole("radio", { name: "Camp staff" }).check();
  release();
  for (let opened = 0; opened < 2; opened++) {
    await expect(page.getByLabel("Message")).toHaveValue(text);
    await expect(page.getByLabel("Subject")).toHaveValue("Medicine");
    await expect(page.getByLabel("Your Name")).toHaveValue("Chaya Feder");
    await expect(page.getByRole("radio", { name: "Camp staff" })).toBeChecked();
    await page.reload();
  }
});

test("a half-written comment survives a link, Back and a reload, and each video keeps its own", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const [one, other] = [await posted(desk, { title: "Campfire" }), await posted(desk, { title: "Swim relay" })];
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const box = page.getByLabel("Your comment");
  await page.goto(`/video/${one.id}`);
  await box.fill("We saw Mendy, he");
  await page.getByRole("link", { name: "Back to Videos" }).click();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(box).toHaveValue("We saw Mendy, he");
  await page.goto(`/video/${other.id}`);
  await expect(box).toHaveValue("");
  await page.goto(`/video/${one.id}`);
  await expect(box).toHaveValue("We saw Mendy, he");
  await box.fill("We saw Mendy, he sang!");
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(page.getByRole("region", { name: "Comments" }).getByRole("listitem")).toContainText("he sang!");
  await page.reload();
  await expect(box).toHaveValue("");
});
