import type { components } from "../src/api/schema.gen";
import { call, demoTest as test, expect, samplePassword } from "./support/camp";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

test.beforeEach(async ({ page }) => {
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username: "kornbluh", password: samplePassword });
});

/** Opens, checks and closes a form with errors, a drawer and a dialog. */
async function look(page: Page, what: string, open: () => Promise<unknown>, typed = false) {
  await open();
  const dialog = page.getByRole("dialog").last();
  await expect(dialog).toBeVisible();
  await isSound(page, what);
  await dialog.getByRole("button", { name: "Close" }).click();
  // If text was typed, a dialog asks about it.
  const leave = page.getByRole("button", { name: /^(Discard|Discard changes|Leave)$/ });
  if (typed) await leave.click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

const first = (page: Page, name: RegExp) => page.getByRole("main").getByRole("button", { name }).first();

test("users can be used by everybody, in both themes and on the narrowest phone", async ({ page }) => {
  await page.goto("/admin/users?filter=overdue&action=add");
  await page.getByRole("button", { name: "Add user and send invitation" }).click();
  await expect(page.getByText("All fields are required").first()).toBeVisible();
  await isSound(page, "the users, with the form's complaints");
  await page.getByRole("button", { name: "Cancel" }).click();
  await look(
    page,
    "the edit drawer",
    async () => {
      await first(page, /^Edit /).click();
      await page.getByLabel("Paid Amount").fill("1");
      await page.getByRole("button", { name: "Save All Changes" }).click();
    },
    true,
  );
  await look(page, "a payment", async () => {
    await first(page, /^Add payment for /).click();
    await page.getByRole("button", { name: "Record payment", exact: true }).click();
  });
  await look(page, "the question before deleting", () => first(page, /^Delete /).click());
});

test("the import, a merge and a family's papers can be used by everybody, in both themes and on the narrowest phone", async ({
  page,
}) => {
  const { items } = await call<{ items: Schemas["FamilyRow"][] }>(
    page.request,
    "GET",
    "/api/admin/users?filter=overdue&limit=100",
  );
  const details = await Promise.all(
    items.map(({ id }) => call<Schemas["FamilyDetail"]>(page.request, "GET", `/api/admin/users/${id}`)),
  );
  const family = details.find(({ payments }) => payments.some(({ kind }) => kind === "payment"))!;
  await page.goto("/admin/users");
  await look(
    page,
    "the import with a problem",
    async () => {
      await page.getByRole("button", { name: "Import" }).click();
      await page.getByLabel("Or paste the table").fill("Name,Child,Email\nChaya,Lipa,not-an-address");
      await page.getByRole("button", { name: "Check the table" }).click();
      await expect(page.getByRole("table", { name: "Problems by line" })).toBeVisible();
    },
    true,
  );
  await page.goto(`/admin/users?user=${family.id}`);
  await expect(page.getByRole("heading", { name: "Ledger" })).toBeVisible();
  await isSound(page, "a family's drawer");
  await page.getByRole("button", { name: "Merge with another user" }).click();
  await page.getByRole("searchbox", { name: "Search the other user" }).fill("feld");
  await page.getByRole("dialog", { name: "Merge two users" }).getByRole("listitem").last().getByRole("button").click();
  await expect(page.getByRole("heading", { name: "After the merge" })).toBeVisible();
  await isSound(page, "a merge");
  for (const paper of ["statement", `receipt/${family.payments.find(({ kind }) => kind === "payment")!.id}`]) {
    await page.goto(`/admin/users/${family.id}/${paper}`);
    await expect(page.getByRole("article")).toBeVisible();
    await isSound(page, paper);
  }
});

test("uploads in every state and the details of a file can be used by everybody, in both themes and on the narrowest phone", async ({
  page,
}) => {
  const upload = (n: number, state: string, more: Partial<Schemas["Upload"]> = {}) => ({
    id: `00000000-0000-7000-8000-00000000000${n}`,
    video_id: null,
    file_name: `${"relay-race-at-the-lake-".repeat(5)}${n}.mov`,
    size_bytes: 388_000_000,
    received_bytes: 166_000_000,
    state,
    progress: 12,
    problem: null,
    log: null,
    is_trim: false,
    renditions: [],
    created_at: "2026-07-14T20:00:00Z",
    ...more,
  });
  const failed = upload(4, "failed", {
    problem: "The file is damaged: its end is missing.",
    log: "moov atom not found",
  });
  const items = [upload(1, "uploading"), upload(2, "waiting"), upload(3, "converting"), failed, upload(5, "ready")];
  const uploads = { items, next: null, used_bytes: 1, quota_bytes: 2 };
  await page.route(/\/api\/admin\/uploads$/, (route) => route.fulfill({ json: uploads }));
  await page.goto("/admin/reports?action=upload");
  await expect(page.getByText("Converting for phones and computers, 12%")).toBeVisible();
  await page.getByText("Log", { exact: true }).click();
  await isSound(page, "uploads in every state");

  const videos = await call<{ items: Schemas["AdminVideo"][] }>(page.request, "GET", "/api/admin/videos?limit=100");
  const film = videos.items.find(({ video_url }) => video_url.startsWith("/media/videos/"))!;
  await page.goto(`/admin/reports?q=${encodeURIComponent(film.title)}`);
  await look(page, "the details of a file", async () => {
    await first(page, /^Edit /).click();
    await page.getByText("Picture, chapters, captions and more").click();
    await expect(page.getByLabel("Chapters")).toBeVisible();
  });
});

test("updates can be used by everybody, in both themes and on the narrowest phone", async ({ page }) => {
  await page.goto("/admin/live-updates?action=create");
  await page.getByRole("button", { name: /^Post update/ }).click();
  await expect(page.getByText("Title is required")).toBeVisible();
  await isSound(page, "the updates, with the form's complaints");
  await look(page, "an update that is edited", () => first(page, /^Edit /).click());
  await look(page, "the question before an update is deleted", () => first(page, /^Delete /).click());
});

test("messages and newsletters can be used by everybody, in both themes and on the narrowest phone", async ({
  page,
}) => {
  await page.goto("/admin/messages");
  await expect(page.getByRole("listitem").filter({ hasText: "Replied" }).first()).toBeVisible();
  await isSound(page, "the inbox");
  for (const status of ["unread", "replied"]) {
    await page.goto(`/admin/messages?status=${status}`);
    await look(page, `a message that is ${status}`, () =>
      page.getByRole("main").getByRole("listitem").getByRole("heading").getByRole("button").first().click(),
    );
  }
  await page.goto("/admin/messages?view=newsletters");
  await page.getByRole("button", { name: /^Send newsletter/ }).click();
  await expect(page.getByText("Please enter a subject.")).toBeVisible();
  await isSound(page, "a newsletter with complaints");
  await page.goto("/admin/messages?view=subscribers");
  await expect(page.getByText("Confirmed").first()).toBeVisible();
  await isSound(page, "the subscribers");
});

test("questions and figures can be used by everybody, in both themes and on the narrowest phone", async ({ page }) => {
  await page.goto("/admin/faq");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  await isSound(page, "the questions");
  await look(page, "a question that is edited", () => first(page, /^Edit /).click());
  await page.goto("/admin/analytics?period=season");
  await page.getByText("The days as a table").click();
  await isSound(page, "the figures");
});
