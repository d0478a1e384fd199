import {
  account,
  signInLink,
  call,
  expect,
  linkTo,
  parent,
  password,
  posted,
  signIn,
  signUp,
  staff,
  test,
  toast,
} from "./support/camp";
import { pause } from "./support/portal";

test("a wrong password is reported on the page, and the email address stays in its field", async ({ page, camp }) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.context().clearCookies();
  await page.goto("/auth");
  await signIn(page, "chaya@family.example", "not my password");
  await expect(toast(page)).toContainText("Login Failed");
  const wrong = await page.getByRole("alert").innerText();
  await expect(page.getByRole("main").getByLabel("Email")).toHaveValue("chaya@family.example");

  // An unknown address gets the same response.
  await signIn(page, "nobody@family.example", "not my password");
  await expect(page.getByRole("alert")).toHaveText(wrong);

  await signIn(page, "Chaya@Family.example");
  await expect(account(page, "Chaya Feder")).toBeVisible();
});

test("families and staff are told when their browser blocks cookies", async ({ page, camp }) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.context().clearCookies();
  const browser = await page.context().newCDPSession(page);
  await browser.send("Emulation.setDocumentCookieDisabled", { disabled: true });
  await page.goto("/auth");
  await signIn(page, "chaya@family.example");
  await expect(page.getByRole("alert").filter({ hasText: "Your browser blocks cookies" })).toBeVisible();
  await expect(page).toHaveURL("/auth");
  await page.goto("/admin/login");
  await page.getByLabel("Username").fill("kornbluh");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Your browser blocks cookies" })).toBeVisible();
});

test("after many wrong passwords there is a pause, and the page says how long", async ({ page, camp }) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.context().clearCookies();
  for (let n = 0; n < 5; n++) {
    await page.request.post("/api/auth/sign-in", {
      data: { email: "chaya@family.example", password: "not my password" },
    });
  }
  await page.goto("/auth");
  await signIn(page, "chaya@family.example");
  await expect(page.getByRole("alert")).toContainText(/\d+ seconds/);
});

test("a forgotten password is replaced by the link in the mail, and every other device is signed out", async ({
  page,
  camp,
  somebody,
}) => {
  const elsewhere = await somebody();
  await parent(elsewhere, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await elsewhere.goto("/");
  await expect(account(elsewhere, "Chaya Feder")).toBeVisible();

  await page.goto("/auth");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("main").getByLabel("Email").fill("chaya@family.example");
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();

  const link = linkTo("/auth/reset", await camp.mailTo("chaya@family.example", /Choose a new password/));
  // Opening the link, as mail scanners do, does not use it.
  await page.goto(link);
  await expect(page.getByLabel("New password")).toBeVisible();
  await page.goto(link);
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Save new password" }).click();
  await expect(page.getByLabel("New password")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("New password").fill("a quieter lantern");
  await page.getByRole("button", { name: "Save new password" }).click();
  await expect(toast(page)).toContainText("Password Changed");
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await signIn(page, "chaya@family.example", "a quieter lantern");
  await expect(account(page, "Chaya Feder")).toBeVisible();

  await elsewhere.reload();
  await expect(signInLink(elsewhere)).toBeVisible();
  await camp.mailTo("chaya@family.example", /Your password .* was changed/);

  // The link works only once, and its page says so at once.
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole("alert")).toHaveText("This link was already used or has expired.");
  await expect(elsewhere.getByLabel("New password")).toBeHidden();
  await elsewhere.getByRole("link", { name: "Ask for a new link" }).click();
  await expect(elsewhere.getByRole("heading", { name: "Forgot your password?" })).toBeVisible();
});

test("nobody learns from the forgotten-password page who has an account", async ({ page, camp }) => {
  await page.goto("/auth/forgot");
  await page.getByRole("main").getByLabel("Email").fill("nobody@family.example");
  await page.getByRole("button", { name: "Send the link" }).click();
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "nobody@family.example" })).toContainText(
    "has an account, a link to choose a new password is on its way.",
  );
  await pause(1_000);
  expect(await camp.mails()).toEqual([]);
});

test("an invitation fills in the family's names and links the new login to it", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await call(desk.request, "POST", "/api/admin/users", {
    full_name: "Gitty Lindenfeld",
    child_name: "Mendy & Shloimy",
    email: "gitty@family.example",
  });

  const link = linkTo("/auth", await camp.mailTo("gitty@family.example", /invited/));
  await page.goto(link);
  await expect(toast(page)).toContainText("Information Pre-filled");
  for (const [label, value] of [
    ["Your Name", "Gitty Lindenfeld"],
    ["Child's Name", "Mendy & Shloimy"],
  ] as const) {
    await expect(page.getByLabel(label)).toHaveValue(value);
    await expect(page.getByLabel(label)).not.toBeEditable();
  }
  await expect(page.getByRole("main").getByLabel("Email")).toHaveValue("gitty@family.example");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(toast(page)).toContainText("Your account has been created and linked to your existing profile!");
  await expect(account(page, "Gitty Lindenfeld")).toBeVisible();
  // The invitation came to that address, so it needs no second confirmation.
  await expect(page.getByRole("complementary", { name: "Confirm your email" })).toBeHidden();

  const stranger = await somebody();
  await stranger.goto(link);
  await expect(stranger.getByRole("alert")).toBeVisible();
  await expect(stranger.locator("body")).not.toContainText("Lindenfeld");
});

test("typing a stranger's address into the sign-up form reveals nothing about the family", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await call(desk.request, "POST", "/api/admin/users", {
    full_name: "Gitty Lindenfeld",
    child_name: "Mendy",
    email: "gitty@family.example",
  });
  await page.goto("/auth?mode=create");
  await page.getByRole("main").getByLabel("Email").fill("gitty@family.example");
  await page.getByRole("main").getByLabel("Email").blur();
  await pause(1_000);
  await expect(page.getByLabel("Your Name")).toHaveValue("");
  await expect(page.getByLabel("Child's Name")).toHaveValue("");
});

test("an address that already has an account leads to the sign-in form", async ({ page, camp, somebody }) => {
  await signUp(await somebody(), { name: "Chaya Feder", email: "chaya@family.example" });
  expect(camp.url).toBeTruthy();
  await page.goto("/auth?mode=create");
  await page.getByLabel("Your Name").fill("Chaya Feder");
  await page.getByLabel("Child's Name").fill("Mendy");
  await page.getByRole("main").getByLabel("Email").fill("chaya@family.example");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(toast(page)).toContainText("Account Exists");
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await expect(page.getByRole("main").getByLabel("Email")).toHaveValue("chaya@family.example");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue("");
});

test("an unconfirmed parent may look but not comment, and can have the confirmation sent again", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await signUp(page, { name: "Chaya Feder", email: "chaya@family.example" });
  await camp.mailTo("chaya@family.example", /Please confirm/);
  const video = await call<{ video: { id: string } }>(desk.request, "POST", "/api/admin/videos", {
    title: "Campfire",
    video_url: "https://youtu.be/dQw4w9WgXcQ",
    status: "published",
  });
  await page.goto(`/video/${video.video.id}`);
  await expect(page.getByRole("textbox", { name: "Your comment" })).toBeDisabled();
  await expect(page.getByPlaceholder("Please confirm your email to post a comment")).toBeVisible();
  await page.getByRole("button", { name: "Send it again" }).click();
  await expect(toast(page)).toContainText("We emailed chaya@family.example again.");
  await expect.poll(async () => (await camp.mailsTo("chaya@family.example", /Please confirm/)).length).toBe(2);
  expect(await camp.mailsTo("chaya@family.example", /New video/)).toEqual([]);

  await page.goto("/auth/verify?token=made-up");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send a new link" })).toBeVisible();
});

test("whoever signed up confirms with one tap on the same phone", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await call(desk.request, "POST", "/api/admin/users", {
    full_name: "Gitty Lindenfeld",
    child_name: "Mendy",
    email: "gitty@family.example",
  });
  await signUp(page, { name: "Gitty", email: "gitty@family.example" });
  await page.goto(linkTo("/auth/verify", await camp.mailTo("gitty@family.example", /Please confirm your email/)));
  await expect(page.getByText("Tap to confirm that gitty@family.example is your email.")).toBeVisible();
  await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  await page.getByRole("button", { name: "Confirm my email" }).click();
  await expect(toast(page)).toContainText("Your account has been created and linked to your pre-existing profile.");
  await expect(account(page, "Gitty Lindenfeld")).toBeVisible();
});

test("a stranger who signed up with a parent's address is signed out when the parent confirms it", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await call(desk.request, "POST", "/api/admin/users", {
    full_name: "Gitty Lindenfeld",
    child_name: "Mendy",
    email: "gitty@family.example",
  });
  const stranger = await somebody();
  await signUp(stranger, { name: "Gitty Lindenfeld", email: "gitty@family.example" });

  await page.goto(linkTo("/auth/verify", await camp.mailTo("gitty@family.example", /Please confirm your email/)));
  await expect(page.getByText("Someone created an account for gitty@family.example in another browser.")).toBeVisible();
  await page.getByLabel("Password for this account").fill("never chosen by me");
  await page.getByRole("button", { name: "Confirm my email" }).click();
  await expect(page.getByText("This is not this account's password.")).toBeVisible();
  await page.getByRole("button", { name: "Choose a new password" }).click();
  await page.getByLabel("New password").fill("eleven brave otters");
  await page.getByRole("button", { name: "Confirm my email" }).click();
  await expect(toast(page)).toContainText("linked to your pre-existing profile");
  await expect(account(page, "Gitty Lindenfeld")).toBeVisible();
  await page.goto("/profile");
  await expect(page.getByLabel("Child's name")).toHaveValue("Mendy");

  await stranger.goto("/profile");
  await expect(stranger.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await expect(stranger.locator("body")).not.toContainText("Mendy");
  await signIn(stranger, "gitty@family.example");
  await expect(toast(stranger)).toContainText("Login Failed");
});

test("signing out removes everything personal from the page", async ({ page, camp }) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto("/");
  await expect(account(page, "Chaya Feder")).toBeVisible();
  await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
  await expect(toast(page)).toContainText("Signed Out");
  await expect(signInLink(page)).toBeVisible();
  await expect(page.locator("body")).not.toContainText("Chaya");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(kept).not.toContain("chaya");
});

test.describe("With sign-up closed", () => {
  test.use({ settings: { userRegistrations: false } });
  test("the page says so and offers no form", async ({ page }) => {
    await page.goto("/auth?mode=create");
    await expect(page.getByText("Sign-up is closed right now.")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Create an account" })).toBeHidden();
  });
});

test("somebody signed out elsewhere while typing keeps the text, is told why, and returns to the same video", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const film = await posted(desk, { title: "Campfire" });
  const phone = await somebody();
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto(`/video/${film.id}`);
  await page.getByLabel("Your comment").fill("Half a thou");
  await call(phone.request, "POST", "/api/auth/sign-in", { email: "chaya@family.example", password });
  await call(phone.request, "POST", "/api/auth/sessions/end-all");
  await page.getByLabel("Your comment").fill("Half a thought");
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(toast(page)).toContainText("Error posting comment");
  await expect(signInLink(page)).toBeVisible();
  await expect(page.getByLabel("Your comment")).toHaveValue("Half a thought");
  await page.getByRole("link", { name: "Sign in to comment" }).click();
  await signIn(page, "chaya@family.example");
  await expect(page).toHaveURL(new RegExp(film.id));
  await expect(page.getByLabel("Your comment")).toBeEnabled();
  await page.goto("/auth");
  await expect(page, "somebody who is known is not asked again").toHaveURL(/\/$/);
});

test("ending a session on another device removes everything personal from the open pages", async ({
  page,
  camp,
  context,
  somebody,
}) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto("/faq");
  await expect(account(page, "Chaya Feder")).toBeVisible();
  const profile = await context.newPage();
  const line = profile.waitForResponse("**/api/events*");
  await profile.goto("/profile");
  await expect(profile.getByLabel("Full name")).toHaveValue("Chaya Feder");
  await line;
  const phone = await somebody();
  await call(phone.request, "POST", "/api/auth/sign-in", { email: "chaya@family.example", password });
  await call(phone.request, "POST", "/api/auth/sessions/end-all");
  await expect(profile.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  for (const tab of [profile, page]) {
    await expect(signInLink(tab)).toBeVisible();
    await expect(tab.locator("body")).not.toContainText("Chaya");
  }
});
