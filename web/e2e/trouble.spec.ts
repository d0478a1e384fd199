import { account, call, expect, hold, onYouTube, parent, password, posted, staff, test, toast } from "./support/camp";
import type { Page } from "@playwright/test";

test.describe("A report that cannot be saved", () => {
  test.beforeEach(async ({ page, camp }) => {
    await staff(page, camp);
    await page.goto("/admin/reports?action=upload");
  });

  test("a hostile or useless link is refused with a clear sentence, and the form keeps what was typed", async ({
    page,
  }) => {
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("Campfire");
    await form.getByLabel("Description").fill("With marshmallows.");
    for (const link of [
      "javascript:alert(1)",
      "not a link",
      "data:text/html,<b>hi</b>",
      "https://camp.example/a-page.html",
      "http://camp.example/film.mp4",
      "https://user:secret@camp.example/film.mp4",
      "https://drive.google.com/drive/folders/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV",
    ]) {
      await form.getByLabel("Video URL").fill(link);
      await form.getByRole("button", { name: "Publish" }).click();
      await expect(form.getByText("Please enter a valid URL."), link).toBeVisible();
      await expect(form.getByLabel("Title")).toHaveValue("Campfire");
      await expect(form.getByLabel("Description")).toHaveValue("With marshmallows.");
      await expect(form.getByLabel("Video URL")).toHaveValue(link);
    }
    expect(((await (await page.request.get("/api/admin/videos")).json()) as { items: unknown[] }).items).toEqual([]);
    await form.getByLabel("Video URL").fill(onYouTube().link);
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(page.getByRole("heading", { name: "Campfire" })).toBeVisible();
  });

  test("a title too short or too long is refused beside its field", async ({ page }) => {
    const form = page.getByRole("region", { name: "New report" });
    const title = form.getByLabel("Title");
    await form.getByLabel("Video URL").fill(onYouTube().link);
    await title.fill(" x ");
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(form.getByText("Title must be at least 2 characters.")).toBeVisible();
    await expect(title).toBeFocused();

    // Simulates a browser that ignores the field's limit.
    await title.evaluate((field: HTMLInputElement) => field.removeAttribute("maxlength"));
    await title.fill("x".repeat(201));
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(title).toHaveAttribute("aria-invalid", "true");
    await expect(title).toHaveAccessibleDescription(/200/);
    await expect(title).toHaveValue("x".repeat(201));
    await expect(form.getByLabel("Video URL")).toHaveValue(onYouTube().link);
  });

  test("when the server fails, the page says so and the same form can be sent again", async ({ page }) => {
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("Campfire");
    await form.getByLabel("Video URL").fill(onYouTube().link);
    for (const [status, sentence] of [
      [500, "Something went wrong. Please try again."],
      [503, "The camp's server is busy right now."],
    ] as const) {
      await page.route("**/api/admin/videos", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status, body: "<html>no</html>", contentType: "text/html" })
          : route.fallback(),
      );
      await form.getByRole("button", { name: "Publish" }).click();
      await expect(form.getByRole("alert")).toContainText(sentence);
      await expect(form.getByLabel("Title")).toHaveValue("Campfire");
      await page.unroute("**/api/admin/videos");
    }
    await page.context().setOffline(true);
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(form.getByRole("alert")).toContainText("You seem to be offline.");
    await expect(page.getByText("You are offline. This page may be out of date.")).toBeVisible();
    await page.context().setOffline(false);
    await form.getByRole("button", { name: "Publish" }).click();
    await expect(toast(page)).toContainText("Video uploaded successfully");
  });

  test("an impatient double click on a slow connection posts the video once", async ({ page }) => {
    const letGo = await hold(page, "**/api/admin/videos", "POST");
    const form = page.getByRole("region", { name: "New report" });
    await form.getByLabel("Title").fill("Campfire");
    await form.getByLabel("Video URL").fill(onYouTube().link);
    await form.getByRole("button", { name: "Publish" }).dblclick();
    const busy = form.getByRole("button", { name: "Uploading..." });
    await expect(busy).toBeVisible();
    await form.getByLabel("Title").press("Enter");
    letGo();
    await expect(toast(page)).toContainText("Video uploaded successfully");
    await expect(page.getByRole("heading", { name: "Campfire" })).toHaveCount(1);
  });
});

/** Lets the next request of this kind reach the server, but loses its response. */
const loseAnswer = (page: Page, api: string) =>
  page.route(api, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await route.fetch();
    await route.abort();
    await page.unroute(api);
  });

test("a form whose response is lost can be sent again, and creates one record and one email per family", async ({
  page,
  camp,
  somebody,
}) => {
  const chaya = await somebody();
  await parent(chaya, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await call(chaya.request, "PATCH", "/api/profile", { camp_updates_email: true });
  await parent(await somebody(), camp, { name: "Leah Stern", email: "leah@family.example" });
  await staff(page, camp);

  const forms = [
    {
      page: "reports?action=upload",
      api: "videos",
      role: "region",
      name: "New report",
      action: /^Publish/,
      said: "Video uploaded successfully and notifications sent!",
      fields: { Title: "Campfire", "Video URL": onYouTube().link },
    },
    {
      page: "live-updates?action=create",
      api: "live-updates",
      role: "region",
      name: "New update",
      action: "Post update to 1 person",
      said: "Your update has been posted and parents will be notified.",
      fields: { Title: "Rain plan", Message: "We are indoors.", Author: "Camp office" },
    },
    {
      page: "gallery",
      api: "gallery",
      role: "dialog",
      open: /^Add/,
      name: "Add Gallery Video",
      action: "Add to Gallery",
      said: "Gallery video uploaded successfully!",
      fields: { "Video Title": "Long ago", "Google Drive Video URL": onYouTube().link },
    },
    {
      page: "store",
      api: "products",
      role: "dialog",
      open: /^Add/,
      name: "Add New Product",
      action: "Add Product",
      said: "Camp cap has been added to the store",
      fields: { "Product Title": "Camp cap", Price: "18.5", "Stock Quantity": "12", Category: "Clothing" },
    },
    {
      page: "faq",
      api: "faq",
      role: "dialog",
      open: /^Add/,
      name: "Add FAQ",
      action: "Add and publish",
      said: "FAQ Added",
      fields: { Question: "May we bring a dog?", Answer: "Please ask at the office." },
    },
  ] as const;
  for (const one of forms) {
    await page.goto(`/admin/${one.page}`);
    if ("open" in one) await page.getByRole("main").getByRole("button", { name: one.open }).first().click();
    const form = page.getByRole(one.role, { name: one.name });
    for (const [label, value] of Object.entries(one.fields)) {
      const field = form.getByLabel(label, { exact: label === "Title" });
      if (label === "Category") await field.selectOption(value);
      else await field.fill(value);
    }
    await loseAnswer(page, `**/api/admin/${one.api}`);
    await form.getByRole("button", { name: one.action }).click();
    await expect(form.getByRole("alert"), one.name).toContainText("The camp's server cannot be reached right now.");
    const [[label, value]] = Object.entries(one.fields) as [[string, string]];
    await expect(form.getByLabel(label, { exact: label === "Title" })).toHaveValue(value);
    await form.getByRole("button", { name: one.action }).click();
    await expect(toast(page), one.name).toContainText(one.said);
    await expect(form).toBeHidden();
  }
  const made = async (api: string, field: string) =>
    (await call<{ items: Record<string, string>[] }>(page.request, "GET", `/api/admin/${api}`)).items.map(
      (row) => row[field],
    );
  expect(await made("videos?limit=50", "title")).toEqual(["Long ago", "Campfire"]);
  expect(await made("live-updates", "title")).toEqual(["Rain plan"]);
  expect(await made("products", "title")).toEqual(["Camp cap"]);
  expect(await made("faq?q=dog", "question")).toEqual(["May we bring a dog?"]);

  await camp.mailTo("leah@family.example", /Campfire/);
  await camp.mailTo("chaya@family.example", /Campfire/);
  await camp.mailTo("chaya@family.example", /Rain plan/);
  expect(
    (await camp.mails())
      .map(({ to, subject }) => `${to.join()} ${subject}`)
      .filter((line) => /Campfire|Rain plan|Long ago/.test(line)),
  ).toHaveLength(3);
});

test("a comment written offline waits in its field until it can be posted", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  const video = await posted(desk, { title: "Campfire" });
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto(`/video/${video.id}`);
  const field = page.getByLabel("Your comment");
  await field.fill("From a tunnel");
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(toast(page)).toContainText("Could not post your comment at this time.");
  await expect(field).toHaveValue("From a tunnel");

  await page.context().setOffline(false);
  const letGo = await hold(page, "**/comments", "POST");
  await page.getByRole("button", { name: "Post comment" }).dblclick();
  await expect(page.getByRole("button", { name: "Posting..." })).toBeVisible();
  letGo();
  await expect(field).toHaveValue("");
  await expect(page.getByRole("region", { name: "Comments" }).getByRole("listitem")).toHaveCount(1);

  await field.fill("x".repeat(1_990));
  await expect(page.getByText("10 characters left")).toBeVisible();
  await field.pressSequentially("0123456789abc");
  await expect(field).toHaveValue(`${"x".repeat(1_990)}0123456789abc`);
  await expect(page.getByText("3 characters too many: 2,000 fit here.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Post comment" })).toBeDisabled();
  await field.fill("   ");
  await expect(page.getByRole("button", { name: "Post comment" })).toBeDisabled();
});

test("a like that the server refuses is undone on the page, which says why", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  const video = await posted(desk, { title: "Campfire" });
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await page.goto(`/video/${video.id}`);
  await page.route("**/like", (route) => route.fulfill({ status: 500, body: "" }));
  await page.getByRole("button", { name: "0 Like" }).click();
  await expect(toast(page)).toContainText("Something went wrong. Please try again.");
  await expect(page.getByRole("button", { name: "0 Like" })).toHaveAttribute("aria-pressed", "false");
});

test("sign-up keeps what was typed through every refusal", async ({ page }) => {
  await page.goto("/auth?mode=create");
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByText("Please enter your name.")).toBeVisible();
  await expect(page.getByText("Please enter your child's name.")).toBeVisible();
  await expect(page.getByLabel("Your Name")).toBeFocused();

  await page.getByLabel("Your Name").fill("Chaya Feder");
  await page.getByLabel("Child's Name").fill("Mendy");
  await page.getByRole("main").getByLabel("Email").fill("not an address");
  await page.getByLabel("Password", { exact: true }).fill("password");
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByRole("main").getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("main").getByLabel("Email").fill("chaya@family.example");
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("aria-invalid", "true");

  await page.route("**/api/auth/sign-up", (route) => route.abort());
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(page.getByRole("alert")).toContainText("The camp's server cannot be reached right now.");
  await expect(page.getByLabel("Your Name")).toHaveValue("Chaya Feder");
  await expect(page.getByLabel("Child's Name")).toHaveValue("Mendy");
  await expect(page.getByRole("main").getByLabel("Email")).toHaveValue("chaya@family.example");
  await expect(page.getByLabel("Password", { exact: true })).toHaveValue(password);
  await page.unroute("**/api/auth/sign-up");
  await page.getByRole("button", { name: "Create Account" }).click();
  await expect(account(page, "Chaya Feder")).toBeVisible();
});

test("a list that cannot be loaded says so and offers another try", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  // The HTML for a visitor already contains the lists, so a signed-in parent is needed.
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const video = await posted(desk, { title: "Campfire" });
  const pages = [
    ["/", "**/api/videos?*", "The videos could not be loaded", page.getByRole("link", { name: "Campfire" }).first()],
    [
      "/current-videos",
      "**/api/videos?*",
      "The videos could not be loaded",
      page.getByRole("link", { name: "Campfire" }),
    ],
    [
      "/past-videos",
      "**/api/videos/years",
      "The gallery could not be loaded",
      page.getByText("No archived videos available yet"),
    ],
    [
      `/video/${video.id}`,
      `**/api/videos/${video.id}`,
      "The video could not be loaded",
      page.getByRole("heading", { name: "Campfire" }),
    ],
  ] as const;
  for (const [address, api, sentence, healed] of pages) {
    await page.route(api, (route) => route.fulfill({ status: 503, body: "" }));
    await page.goto(address);
    const alert = page.getByRole("alert").filter({ hasText: sentence });
    await expect(alert, address).toBeVisible();
    await page.unroute(api);
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect(healed, address).toBeVisible();
    await expect(page.getByRole("alert")).toBeHidden();
  }
});
