import {
  account,
  call,
  demoTest as test,
  expect,
  hold,
  samplePassword,
  signIn,
  signInLink,
  toast,
} from "./support/camp";
import type { Page } from "@playwright/test";

// These tests intercept every request that would change the shared sample camp.

const leah = "leah.lindenfeld@family.example";
const asLeah = (page: Page) =>
  call(page.request, "POST", "/api/auth/sign-in", { email: leah, password: samplePassword });
const broken = (page: Page, api: string, method = "GET", status = 500) =>
  page.route(api, (route) =>
    route.request().method() === method
      ? route.fulfill({ status, body: "<html>no</html>", contentType: "text/html" })
      : route.fallback(),
  );
const section = (page: Page, name: string) => page.getByRole("region", { name });

test("a page whose list cannot be loaded says so, never that it is empty, and recovers on Retry", async ({ page }) => {
  // The HTML for a visitor already contains the lists, so a signed-in parent is needed.
  await asLeah(page);
  for (const [address, api, sentence, healed] of [
    [
      "/",
      "**/api/live-updates?*",
      "The updates could not be loaded",
      section(page, "Live updates").getByRole("listitem").first(),
    ],
    [
      "/updates",
      "**/api/live-updates?*",
      "The updates could not be loaded",
      page.getByRole("main").getByRole("listitem").first(),
    ],
    ["/faq", "**/api/faq?*", "The questions could not be loaded", page.locator("details").first()],
    ["/store", "**/api/store", "The store could not be loaded", page.getByRole("main").getByRole("article").first()],
  ] as const) {
    await broken(page, api, "GET", 503);
    await page.goto(address);
    const alert = page.getByRole("main").getByRole("alert").filter({ hasText: sentence });
    await expect(alert, address).toContainText("The camp's server is busy right now. Please try again in a moment.");
    await expect(healed).toBeHidden();
    await page.unroute(api);
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect(healed, address).toBeVisible();
  }
});

for (const [whose, address, rows] of [
  ["families", "/past-videos?view=all", "article"],
  ["staff", "/admin/reports", "listitem"],
] as const) {
  test(`a list for ${whose} whose next part cannot be loaded keeps what it shows, and goes on`, async ({
    page,
    context,
  }) => {
    await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "brikwald", password: samplePassword });
    const main = page.getByRole("main");
    const shown = main.getByRole(rows).filter({ has: page.getByRole("heading", { level: 3 }) });
    const [alert, retry] = [main.getByRole("alert"), main.getByRole("button", { name: "Retry" })];
    await broken(page, "**/api/**cursor=*", "GET", 503);
    await page.goto(address);
    await expect(shown).not.toHaveCount(0);
    const before = await shown.count();
    await main.getByRole("button", { name: "Load more videos" }).click();
    await expect(alert).toHaveText("The camp's server is busy right now. Please try again in a moment.");
    await expect(shown).toHaveCount(before);

    await page.unroute("**/api/**cursor=*");
    await context.setOffline(true);
    await retry.click();
    await expect(alert).toHaveText("You seem to be offline. Please check your connection and try again.");
    await expect(shown).toHaveCount(before);

    // A browser that is back online tries again by itself.
    await context.setOffline(false);
    await expect(retry).toBeHidden();
    await expect(alert).toBeHidden();
    await expect.poll(() => shown.count()).toBeGreaterThan(before);
  });
}

test("comments that cannot be loaded or posted say so clearly", async ({ page, request }) => {
  await asLeah(page);
  const {
    items: [film],
  } = await call<{ items: { id: string }[] }>(request, "GET", "/api/videos?collection=current");
  await broken(page, "**/comments*");
  await page.goto(`/video/${film!.id}`);
  const comments = section(page, "Comments");
  await expect(comments.getByRole("alert")).toContainText("Error loading comments");
  await expect(comments.getByRole("alert")).toContainText("Could not load comments at this time.");
  await expect(comments.getByText("No comments yet")).toBeHidden();
  await page.unroute("**/comments*");
  await comments.getByRole("button", { name: "Retry" }).click();
  await expect(comments.getByRole("alert")).toBeHidden();

  await broken(page, "**/comments*", "POST");
  await page.getByLabel("Your comment").fill("A word from home");
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(toast(page)).toContainText("Error posting comment");
  await expect(toast(page)).toContainText("Could not post your comment at this time.");
  await expect(page.getByLabel("Your comment")).toHaveValue("A word from home");
});

test("a profile of which a part is missing shows the rest, and one that cannot be saved keeps what was typed", async ({
  page,
}) => {
  await asLeah(page);
  await broken(page, "**/api/profile");
  await page.goto("/profile");
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText("Failed to load profile data.");
  await page.unroute("**/api/profile");
  const parts = [
    ["payments", "Payment Information", "Your payments could not be loaded"],
    ["favorites*", "Favorites", "Your favorites could not be loaded"],
  ] as const;
  for (const [api] of parts) await broken(page, `**/api/profile/${api}`);
  await broken(page, "**/api/auth/sessions");
  await alert.getByRole("button", { name: "Retry" }).click();
  for (const [api, name, sentence] of [
    ...parts,
    ["sessions", "Where you are signed in", "Your devices could not be loaded"] as const,
  ]) {
    await expect(section(page, name).getByRole("alert")).toContainText(sentence);
    await page.unroute(api === "sessions" ? "**/api/auth/sessions" : `**/api/profile/${api}`);
    await section(page, name).getByRole("button", { name: "Retry" }).click();
    await expect(section(page, name).getByRole("alert")).toBeHidden();
  }
  await expect(section(page, "Payment Information")).not.toContainText("No payment plan found");

  await broken(page, "**/api/profile", "PATCH");
  const personal = section(page, "Personal Information");
  await personal.getByRole("button", { name: "Edit" }).click();
  await personal.getByLabel("Full name").fill("Leah L.");
  await personal.getByRole("button", { name: "Save" }).click();
  await expect(toast(page)).toContainText("Failed to update profile.");
  await expect(personal.getByLabel("Full name")).toHaveValue("Leah L.");
  await expect(personal.getByLabel("Full name")).toBeEditable();
});

test("a failed sign-out is reported, and the person still appears signed in", async ({ page }) => {
  await asLeah(page);
  await page.route("**/api/auth/sign-out", (route) => route.abort());
  await page.goto("/profile");
  await page.getByRole("banner").getByRole("button", { name: "Sign Out" }).click();
  await expect(toast(page).getByText("Failed to sign out", { exact: true })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Sign Out", exact: true }).click();
  await expect(toast(page).getByText("Failed to sign out. Please try again.", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Your profile" })).toBeVisible();
});

test("a failed sign-in says why, and keeps what was typed", async ({ page }) => {
  await page.goto("/auth");
  await expect(page.getByRole("heading", { name: "Welcome Back" })).toBeVisible();
  await page.context().setOffline(true);
  await signIn(page, leah, samplePassword);
  await expect(toast(page)).toContainText("Login Failed");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("You seem to be offline.");
  await page.context().setOffline(false);
  for (const [status, sentence] of [
    [500, "Something went wrong. Please try again."],
    [502, "The camp's server is busy right now."],
    [504, "The camp's server is busy right now."],
  ] as const) {
    await broken(page, "**/api/auth/sign-in", "POST", status);
    await page.getByRole("button", { name: "Sign In" }).click();
    await expect(page.getByRole("main").getByRole("alert")).toContainText(sentence);
    await page.unroute("**/api/auth/sign-in");
  }
  await expect(page.getByRole("main").getByLabel("Email")).toHaveValue(leah);
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue(samplePassword);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(signInLink(page)).toBeHidden();
});

test("a message and a mailing list address stay in their fields until they can be sent", async ({ page }) => {
  await page.goto("/contact");
  await broken(page, "**/api/contact", "POST");
  await broken(page, "**/api/subscribe", "POST", 503);
  await page.getByLabel("Your Name").fill("Bubby Feder");
  await page.getByRole("main").getByLabel("Email").fill("bubby@family.example");
  await page.getByRole("radio", { name: "Guest" }).check();
  await page.getByRole("radio", { name: "Camp staff" }).check();
  await page.getByLabel("Subject").fill("Medicine");
  await page.getByLabel("Message").fill("The blue one.");
  await page.getByRole("button", { name: "Send Message" }).click();
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Something went wrong. Please try again.");
  await expect(page.getByLabel("Message")).toHaveValue("The blue one.");
  await expect(page.getByText("Message Sent!")).toBeHidden();
  const box = page.getByRole("contentinfo");
  await box.getByPlaceholder("Your email address").fill("bubby@family.example");
  await box.getByRole("button", { name: "Subscribe" }).click();
  await expect(box.getByRole("alert")).toContainText("The camp's server is busy right now.");
  await expect(box.getByPlaceholder("Your email address")).toHaveValue("bubby@family.example");
});

test("on a slow connection every page shows placeholders for what is loading", async ({ page, request }) => {
  await asLeah(page);
  const {
    items: [film],
  } = await call<{ items: { id: string }[] }>(request, "GET", "/api/videos?collection=current");
  for (const [address, label, healed] of [
    ["/", "Loading videos", section(page, "Latest videos").getByRole("article").first()],
    ["/current-videos", "Loading videos", page.getByRole("main").getByRole("article").first()],
    ["/past-videos", "Loading videos", page.getByRole("heading", { name: /^Summer/ }).first()],
    ["/updates", "Loading updates", page.getByRole("main").getByRole("listitem").first()],
    ["/faq", "Loading questions", page.locator("details").first()],
    ["/store", "Loading the store", page.getByRole("main").getByRole("article").first()],
    [`/video/${film!.id}`, "Loading video...", page.getByRole("region", { name: "Comments" })],
  ] as const) {
    const lists = /\/api\/(videos|live-updates|faq|store)/;
    const letGo = await hold(page, lists);
    await page.goto(address, { waitUntil: "commit" });
    await expect(page.getByRole("main").getByRole("status").filter({ hasText: label }).first(), address).toBeVisible();
    await expect(page.getByText(/^No videos|^No updates|^No questions|^Nothing in/)).toHaveCount(0);
    letGo();
    await expect(healed, address).toBeVisible();
    await page.unroute(lists);
  }
});

test("a page that was never opened before says so when offline, and loads when the network is back", async ({
  page,
}) => {
  await page.goto("/current-videos");
  await expect(page.getByRole("main").getByRole("article").first()).toBeVisible();
  // The footer loads after the first view.
  const link = page.getByRole("contentinfo").getByRole("link", { name: "Privacy Policy" });
  await expect(link).toBeVisible();
  await page.context().setOffline(true);
  await expect(page.getByText("You are offline. This page may be out of date.")).toBeVisible();
  await link.click();
  await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  await expect(page).toHaveTitle(/^This page could not be shown - /);
  await page.context().setOffline(false);
  await expect(page.getByRole("heading", { name: "Privacy Policy", level: 1 })).toBeVisible();
});

test("while the session is unknown, nobody is treated as signed out", async ({ page }) => {
  await asLeah(page);
  await broken(page, "**/api/session", "GET", 503);
  await page.goto("/profile");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Failed to load profile data.");
  await expect(page).toHaveURL(/\/profile$/);
  await expect(signInLink(page)).toBeHidden();
  await expect(page.getByRole("banner").getByRole("link", { name: "Staff" })).toBeVisible();
  await page.unroute("**/api/session");
  await page.getByRole("main").getByRole("button", { name: "Retry" }).click();
  await expect(account(page, "Leah Lindenfeld")).toBeVisible();
});

test("a dialog opened before its code has loaded still opens, and one that cannot load leaves the page usable", async ({
  page,
}) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
  const dialogs = /\/assets\/dialogs-[^/]+\.js$/;
  const release = await hold(page, dialogs);
  await page.goto("/admin/users");
  await page.getByRole("button", { name: "Import" }).click();
  release();
  await expect(page.getByRole("dialog")).toBeVisible();

  await page.route(dialogs, (route) => route.abort());
  await page.goto("/admin/users");
  await page.getByRole("button", { name: "Import" }).click();
  await expect(toast(page)).toContainText("This could not be loaded.");
  await expect(page.getByRole("heading", { name: "User Management" })).toBeVisible();
});
