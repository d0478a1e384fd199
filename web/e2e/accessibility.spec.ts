import {
  call,
  demoTest as test,
  expect,
  parent,
  posted,
  samplePassword,
  staff,
  test as ownTest,
  told,
} from "./support/camp";
import { hasRoom, isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Card = { id: string; video_type: string };

/** Asserts that each of these pages has one first-level heading and no accessibility violations. */
async function areSound(page: Page, pages: readonly (readonly [what: string, address: string])[]) {
  for (const [what, address] of pages) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 }), what).toHaveCount(1);
    await isSound(page, what);
  }
}

/** Signs a sample parent in. */
const asParent = (page: Page) =>
  call(page.request, "POST", "/api/auth/sign-in", {
    email: "leah.lindenfeld@family.example",
    password: samplePassword,
  });

/** Signs a sample staff member in. */
const asStaff = (page: Page) =>
  call(page.request, "POST", "/api/admin/auth/sign-in", { username: "brikwald", password: samplePassword });

test.describe("In both themes and on the narrowest phone, everybody can use", () => {
  test("the pages with videos and updates", async ({ page, request }) => {
    const current = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    const archive = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=archive&limit=100");
    const elsewhere = archive.items.find(({ video_type }) => video_type !== "upload");
    await areSound(page, [
      ["Home", "/"],
      ["the current videos", "/current-videos"],
      ["a search without results", "/current-videos?q=nothing+of+the+kind"],
      ["the gallery", "/past-videos"],
      ["the live updates", "/updates"],
      ["a video of the camp's own", `/video/${current.items[0]?.id}`],
      ["a video from elsewhere", `/video/${elsewhere?.id}`],
      ["a video that is not there", "/video/00000000-0000-7000-8000-000000000000"],
    ]);
  });

  test("a video of the camp's own while it plays, and at its end", async ({ page, request }) => {
    const { items } = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    await page.goto(`/video/${items.find(({ video_type }) => video_type === "upload")?.id}`);
    await page.getByRole("button", { name: /^Play / }).click();
    const player = page.getByRole("group", { name: "Video player" });
    await player.getByRole("button", { name: "Pause" }).click();
    await player.getByRole("button", { name: "Settings" }).click();
    await isSound(page, "the player with its menu");
    // Pausing may leave the player slightly before the end.
    await player.getByRole("button", { name: "Play", exact: true }).click();
    await player.getByRole("slider", { name: "Seek" }).press("End");
    await expect(player.getByRole("button", { name: "Watch again" })).toBeVisible();
    await isSound(page, "the end of a video");
  });

  test("the pages for signing in and out", async ({ page }) => {
    await areSound(page, [
      ["sign-in", "/auth"],
      ["sign-up", "/auth?mode=create"],
      ["the forgotten password", "/auth/forgot"],
      ["the new password", "/auth/reset?token=x"],
      ["the confirmation", "/auth/verify?token=x"],
      ["the end of mail", "/unsubscribe?token=x"],
      ["a page that is not there", "/no-such-page"],
    ]);

    await page.goto("/auth");
    await page.getByRole("button", { name: "Sign In" }).click();
    await expect(page.getByText("Please enter your email.")).toBeVisible();
    await isSound(page, "sign-in with complaints");
  });

  test("what a signed-in parent sees", async ({ page, request }) => {
    const current = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
    await asParent(page);
    await page.goto("/profile");
    await expect(page.getByRole("heading", { name: "Personal Information" })).toBeVisible();
    await isSound(page, "the profile");
    await page.goto(`/video/${current.items[1]?.id}`);
    await page
      .getByRole("button", { name: /^(Report|Delete) comment by/ })
      .first()
      .click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await isSound(page, "the question about a comment");
  });

  test("the texts, the store and the contact form", async ({ page, request }) => {
    const updates = await call<{ items: { id: string }[] }>(request, "GET", "/api/live-updates");
    await areSound(page, [
      ["an update", `/updates/${updates.items[0]?.id}`],
      ["an update that is not there", "/updates/00000000-0000-7000-8000-000000000000"],
      ["About", "/about"],
      ["the questions, one of them open", "/faq#access"],
      ["the contact form", "/contact"],
      ["the store", "/store"],
      ["the privacy policy", "/privacy"],
      ["the terms", "/terms"],
      ["the yes to letters", "/subscribe/confirm?token=x"],
    ]);

    await page.goto("/contact");
    await page.getByRole("button", { name: "Send Message" }).click();
    await expect(page.getByText("Please enter your name.")).toBeVisible();
    await isSound(page, "the contact form with complaints");
  });

  test("the updates and the welcome popup on Home", async ({ page, context }) => {
    await page.goto("/");
    await page.getByRole("button", { name: /^Show All Updates/ }).click();
    await isSound(page, "all updates at home");
    await context.addInitScript(() => localStorage.removeItem("welcomePopupShown"));
    await page.clock.install();
    await page.goto("/");
    await expect(page.getByRole("link", { name: "Sign Up for Notifications" })).toBeVisible();
    await page.clock.runFor(16_000);
    const welcome = page.getByRole("dialog", { name: /^Welcome to/ });
    await isSound(page, "the welcome");
    await welcome.getByRole("radio", { name: "Parent" }).check();
    await welcome.getByRole("button", { name: "Next Step" }).click();
    await isSound(page, "the welcome's second step");
  });

  test("a parent's choice of notifications, and the questions of the profile", async ({ page }) => {
    await asParent(page);
    await page.goto("/");
    await page.getByRole("button", { name: "Customize Notifications" }).click();
    await expect(page.getByRole("switch", { name: "Daily videos" })).toBeVisible();
    await isSound(page, "the choice of notifications");
    await page.goto("/profile");
    for (const button of ["Change password", "Change your email", "Delete my account", "Sign Out Everywhere"]) {
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await isSound(page, `the question behind ${button}`);
      await page.keyboard.press("Escape");
    }
  });

  test("the staff sign-in and reports", async ({ page }) => {
    await page.goto("/admin/login");
    await expect(page.getByRole("heading", { name: "Staff Login" })).toBeVisible();
    await isSound(page, "the sign-in of staff");
    await asStaff(page);
    await page.goto("/admin/reports");
    await expect(page.getByRole("listitem").nth(20)).toBeVisible();
    await isSound(page, "the reports");
    await page.getByRole("button", { name: "Upload New Report" }).click();
    await page.getByLabel("Status", { exact: true }).selectOption("Scheduled");
    await page.getByRole("button", { name: "Schedule", exact: true }).click();
    await expect(page.getByText("Title must be at least 2 characters.")).toBeVisible();
    await isSound(page, "the upload form with complaints");
    await page.getByRole("button", { name: "Cancel" }).click();

    for (const [what, button] of [
      ["the edit panel", /^Edit /],
      ["a video's mails and comments", /, details of /],
      ["the question before deleting", /^Delete /],
    ] as const) {
      await page.getByRole("button", { name: button }).first().click();
      const dialog = page.getByRole("dialog");
      await expect(dialog).toBeVisible();
      await isSound(page, what);
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toBeHidden();
    }
  });

  test("the staff gallery, and a staff page that does not exist", async ({ page }) => {
    await asStaff(page);
    await page.goto("/admin/gallery");
    await expect(page.getByRole("table").first()).toBeVisible();
    await isSound(page, "the staff's gallery");
    await page.getByRole("button", { name: "Add Gallery Video" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await isSound(page, "the gallery dialog");
    await page.goto("/admin/nowhere");
    await isSound(page, "a page of the staff that is not there");
  });
});

ownTest.describe("The longest allowed texts without spaces fit on the narrowest phone", () => {
  const endless = (length: number, letter = "W") => letter.repeat(length);
  let film: string, update: string;

  ownTest.beforeEach(async ({ page, camp, somebody }) => {
    const desk = await somebody();
    await staff(desk, camp);
    await parent(page, camp, {
      name: endless(120),
      child: endless(200),
      email: `${endless(60, "w")}@${endless(60, "x")}.example`,
    });
    film = (await posted(desk, { title: endless(200), description: endless(2_000) })).id;
    await posted(desk, { title: `${endless(100)} ${endless(90, "ש")}` });
    update = (await told(desk, { title: endless(120), message: endless(1_000), author: endless(80), priority: "high" }))
      .id;
    await call(page.request, "POST", `/api/videos/${film}/comments`, { content: endless(2_000) });
  });

  async function haveRoom(page: Page, addresses: string[]) {
    for (const address of addresses) {
      await page.goto(address);
      await page.waitForLoadState("networkidle");
      await hasRoom(page, address.slice(0, 30));
    }
  }

  ownTest("in the lists", async ({ page }) => {
    await haveRoom(page, ["/", "/current-videos", `/current-videos?q=${endless(150)}`, "/updates", `/${endless(300)}`]);
  });

  ownTest("on the pages of a video, an update and a parent", async ({ page }) => {
    await haveRoom(page, [`/video/${film}`, `/updates/${update}`, "/contact", "/profile"]);
  });
});
