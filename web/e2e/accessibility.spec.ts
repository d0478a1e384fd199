import { call, demoTest as test, expect, samplePassword } from "./house/camp";
import { isSound } from "./house/sound";

type Card = { id: string; video_type: string };

test("the pages for families can be used by everybody, in both themes and on the narrowest phone", async ({ page, request }) => {
  test.setTimeout(150_000);
  const current = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=current");
  const archive = await call<{ items: Card[] }>(request, "GET", "/api/videos?collection=archive&limit=100");
  const elsewhere = archive.items.find(({ video_type }) => video_type !== "upload");
  const pages = [
    ["Home", "/"],
    ["the current videos", "/current-videos"],
    ["a search without results", "/current-videos?q=nothing+of+the+kind"],
    ["the gallery", "/past-videos"],
    ["the live updates", "/updates"],
    ["a video of the camp's own", `/video/${current.items[0]?.id}`],
    ["a video from elsewhere", `/video/${elsewhere?.id}`],
    ["a video that is not there", "/video/00000000-0000-7000-8000-000000000000"],
    ["sign-in", "/auth"],
    ["sign-up", "/auth?mode=create"],
    ["the forgotten password", "/auth/forgot"],
    ["the new password", "/auth/reset?token=x"],
    ["the confirmation", "/auth/verify?token=x"],
    ["the end of mail", "/unsubscribe?token=x"],
    ["a page that is not there", "/no-such-page"],
  ] as const;
  for (const [what, address] of pages) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 }), what).toHaveCount(1);
    await isSound(page, what);
  }

  await page.goto("/auth");
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByText("Please enter your email address.")).toBeVisible();
  await isSound(page, "sign-in with complaints");

  await call(page.request, "POST", "/api/auth/sign-in", { email: "leah.lindenfeld@family.example", password: samplePassword });
  await page.goto("/profile");
  await expect(page.getByRole("heading", { name: "Personal Information" })).toBeVisible();
  await isSound(page, "the profile");
  await page.goto(`/video/${current.items[1]?.id}`);
  await page.getByRole("button", { name: /^(Report|Delete) comment by/ }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await isSound(page, "the question about a comment");
});

test("the staff's pages can be used by everybody, in both themes and on the narrowest phone", async ({ page }) => {
  test.setTimeout(150_000);
  await page.goto("/admin/login");
  await expect(page.getByRole("heading", { name: "Staff Login" })).toBeVisible();
  await isSound(page, "the staff's door");
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "brikwald", password: samplePassword });

  await page.goto("/admin/reports");
  await expect(page.getByRole("listitem").nth(20)).toBeVisible();
  await isSound(page, "the reports");
  await page.getByRole("button", { name: "Upload New Report" }).click();
  await page.getByLabel("Status", { exact: true }).selectOption("Scheduled");
  await page.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(page.getByText("Title must be at least 2 characters.")).toBeVisible();
  await isSound(page, "the upload form with complaints");
  await page.getByRole("button", { name: "Cancel" }).click();

  for (const [what, button] of [["the edit panel", /^Edit /], ["a video's mails and comments", /, details of /], ["the question before deleting", /^Delete /]] as const) {
    await page.getByRole("button", { name: button }).first().click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toBeVisible();
    await isSound(page, what);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toBeHidden();
  }

  await page.goto("/admin/gallery");
  await expect(page.getByRole("table").first()).toBeVisible();
  await isSound(page, "the staff's gallery");
  await page.getByRole("button", { name: "Add Gallery Video" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await isSound(page, "the gallery dialog");
  await page.goto("/admin/nowhere");
  await isSound(page, "a page of the staff that is not there");
});
