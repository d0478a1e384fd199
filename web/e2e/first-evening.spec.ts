import {
  signInLink,
  expect,
  linkTo,
  onYouTube,
  parent,
  password,
  hire,
  posted,
  signUp,
  staff,
  test,
  toast,
} from "./support/camp";
import { pause } from "./support/portal";

for (const [post, how] of [
  ["folder", "mail goes into a folder"],
  ["smtp", "mail goes over SMTP"],
] as const) {
  test.describe(`The first evening, when ${how}`, () => {
    test.use({ post });

    test("a parent joins, staff post a video, every subscribed family hears of it once and talks about it", async ({
      page,
      camp,
      somebody,
    }) => {
      await test.step("two families exist already: one turned the daily email off, and one never confirmed", async () => {
        await parent(await somebody(), camp, { name: "Rivky Stern", email: "rivky@family.example" });
        await parent(await somebody(), camp, { name: "Dovid Klein", email: "dovid@family.example" });
        await parent(await somebody(), camp, { name: "Shloime Roth", email: "shloime@family.example", daily: false });
        await signUp(await somebody(), { name: "Not Yet", email: "notyet@family.example" });
      });

      await test.step("Chaya signs up and confirms her address by the link in the mail", async () => {
        await page.goto("/");
        await signInLink(page).click();
        await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
        await page.getByRole("button", { name: "Create an account" }).click();
        await page.getByLabel("Your Name").fill("Chaya Feder");
        await page.getByLabel("Child's Name").fill("Mendy");
        await page.getByRole("main").getByLabel("Email").fill("chaya@family.example");
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Create Account" }).click();
        await expect(toast(page)).toContainText("Account Created");
        await expect(toast(page)).toContainText("Please check your email to confirm your account.");
        await expect(page.getByRole("complementary", { name: "Confirm your email" })).toBeVisible();

        await page.goto(linkTo("/auth/verify", await camp.mailTo("chaya@family.example", /Please confirm your email/)));
        await expect(page.getByRole("heading", { name: "Confirm your email" })).toBeVisible();
        await page.getByRole("button", { name: "Confirm my email" }).click();
        await expect(page.getByRole("heading", { name: "Your email is confirmed" })).toBeVisible();
        await expect(page.getByRole("complementary", { name: "Confirm your email" })).toBeHidden();
        await page.getByRole("link", { name: "Go to the videos" }).click();
        await expect(page.getByText("No videos available yet. Check back soon!")).toBeVisible();
      });

      const title = "Color War breaks out · קאלער וואר";
      await test.step("Miriam of the staff posts a video by its link and publishes it", async () => {
        hire(camp);
        const desk = await somebody();
        await desk.goto("/admin/reports");
        await desk.getByLabel("Username").fill("miriam");
        await desk.getByLabel("Password", { exact: true }).fill(password);
        await desk.getByRole("button", { name: "Sign In" }).click();
        await expect(toast(desk)).toContainText("Welcome miriam!");
        await desk.getByRole("button", { name: "Upload First Video" }).click();

        const form = desk.getByRole("region", { name: "New report" });
        await form.getByLabel("Title").fill(title);
        await form.getByLabel("Video URL").fill("https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=30s");
        await expect(form.getByText("YouTube", { exact: true })).toBeVisible();
        await form
          .getByLabel("Description")
          .fill("The lights went off in the middle of supper.\n\nThen there were two flags on the roof.");
        await form.getByRole("button", { name: "Publish and notify 3 people" }).click();
        await expect(toast(desk)).toContainText("Video uploaded successfully and notifications sent!");
        await expect(desk.getByRole("listitem").filter({ hasText: "Color War breaks out" })).toContainText("Published");
      });

      const address = await test.step("each subscribed family has one email, in HTML and in plain text", async () => {
        const addresses = ["chaya@family.example", "rivky@family.example", "dovid@family.example"];
        for (const family of addresses) {
          const mail = await camp.mailTo(family, /New video/);
          expect(mail.to).toEqual([family]);
          expect(mail.subject).toBe(`New video: ${title}`);
          const link = linkTo("/video/", mail);
          expect(link.startsWith(`${camp.url}/video/`)).toBe(true);
          for (const text of [mail.text, mail.html]) {
            expect(text).toContain(title);
            expect(text).toContain("The lights went off in the middle of supper.");
            expect(text).toContain(link);
            expect(text).toContain(`${camp.url}/unsubscribe?token=`);
          }
          // The picture comes from the portal, because other sites must not learn who reads the camp's email.
          expect(mail.html).toContain(`src="${camp.url}/art/social.jpg"`);
          expect(mail.html).not.toContain(onYouTube().picture);
          expect(mail.html).toContain(`alt="${title}"`);
          expect(mail.header("List-Unsubscribe")).toMatch(/^<http.*\/api\/unsubscribe\/one-click\?token=[^>]+>/);
          expect(mail.header("List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
          expect(mail.header("Auto-Submitted")).toBe("auto-generated");
        }
        return linkTo("/video/", await camp.mailTo("chaya@family.example", /New video/));
      });

      await test.step("Chaya follows the mail's link, watches, likes and comments", async () => {
        await page.goto(address);
        await expect(page.getByRole("heading", { level: 1, name: "Color War breaks out" })).toBeVisible();
        await page.getByRole("button", { name: "Play Color War" }).click();
        await expect(page.frameLocator("iframe").getByRole("heading", { name: "It plays" })).toBeVisible();
        await page.getByRole("button", { name: "0 Like" }).click();
        await expect(toast(page)).toContainText("Added to favorites!");
        await page.getByLabel("Your comment").fill("  Mendy is on the blue team!  ");
        await page.getByRole("button", { name: "Post comment" }).click();
        await expect(page.getByLabel("Your comment")).toHaveValue("");
      });

      await test.step("everything is still there after a reload", async () => {
        await page.reload();
        await expect(page.getByRole("button", { name: "1 Liked" })).toHaveAttribute("aria-pressed", "true");
        const comment = page.getByRole("region", { name: "Comments" }).getByRole("listitem");
        await expect(comment).toHaveCount(1);
        await expect(comment).toContainText("Chaya Feder");
        await expect(comment).toContainText("Mendy is on the blue team!");
        await expect(comment).toContainText("Just now");
        await expect(page.getByText("1 read", { exact: true })).toBeVisible();
        await page.getByRole("button", { name: "1 Liked" }).click();
        await expect(page.getByRole("button", { name: "0 Like" })).toBeVisible();
      });

      await test.step("nobody got the email twice, and nobody got it who did not want it", async () => {
        await pause(1_000);
        const told = (await camp.mails())
          .filter(({ subject }) => subject.startsWith("New video"))
          .flatMap(({ to }) => to);
        expect(told.toSorted()).toEqual(["chaya@family.example", "dovid@family.example", "rivky@family.example"]);
      });
    });
  });
}

test.describe("Unsubscribing from email", () => {
  test("a mail program's unsubscribe button stops the daily email at once, for that family only", async ({
    camp,
    somebody,
    request,
  }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await parent(await somebody(), camp, { name: "Dovid Klein", email: "dovid@family.example" });
    const desk = await somebody();
    await staff(desk, camp);
    await posted(desk, { title: "Swim relay" });

    const header = (await camp.mailTo("chaya@family.example", /Swim relay/)).header("List-Unsubscribe");
    const address = /<([^>]+)>/.exec(header)?.[1] ?? "";
    for (let press = 0; press < 2; press++) {
      const answer = await request.post(address, {
        form: { "List-Unsubscribe": "One-Click" },
        headers: { origin: "https://mail.example", "sec-fetch-site": "cross-site" },
      });
      expect(answer.status()).toBe(204);
    }

    await posted(desk, { title: "Campfire" });
    await camp.mailTo("dovid@family.example", /Campfire/);
    await pause(1_000);
    expect(await camp.mailsTo("chaya@family.example", /Campfire/)).toEqual([]);
  });

  test("the link at the bottom of the email works on any computer, signed out", async ({ page, camp, somebody }) => {
    await parent(await somebody(), camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await parent(await somebody(), camp, { name: "Dovid Klein", email: "dovid@family.example" });
    const desk = await somebody();
    await staff(desk, camp);
    await posted(desk, { title: "Swim relay" });

    await page.goto(linkTo("/unsubscribe", await camp.mailTo("chaya@family.example", /Swim relay/)));
    await expect(page.getByText("c…a@family.example")).toBeVisible();
    await page.getByRole("button", { name: "Stop daily video emails" }).click();
    await expect(page.getByRole("heading", { name: "Done" })).toBeVisible();
    await expect(page.getByText("No more daily video emails will go to c…a@family.example")).toBeVisible();

    await page.goto(linkTo("/unsubscribe", await camp.mailTo("dovid@family.example", /Swim relay/)));
    await page.getByRole("button", { name: "Stop all emails from camp" }).click();
    await expect(page.getByText("No more emails will go to d…d@family.example")).toBeVisible();

    await posted(desk, { title: "Campfire" });
    await pause(2_000);
    expect((await camp.mails()).filter(({ subject }) => subject.includes("Campfire"))).toEqual([]);

    await page.goto("/unsubscribe?token=somebody.else");
    await expect(page.getByRole("alert")).toContainText("Please open it again from the email.");
  });
});
