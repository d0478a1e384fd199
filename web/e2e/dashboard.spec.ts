import type { components } from "../src/api/schema.gen";
import { call, expect, parent, posted, staff, test, told } from "./support/camp";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

const tile = (page: Page, name: string) =>
  page
    .getByRole("region", { name: "Everything" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name }) });
const waiting = (page: Page) => page.getByRole("region", { name: "What needs attention now" });

const tiles = async (page: Page, expected: Record<string, string>) => {
  for (const [name, says] of Object.entries(expected))
    await expect(tile(page, name).filter({ hasText: new RegExp(`^${name}`) }), name).toContainText(says);
};

test("the tiles and the attention list are correct, and lead to the right pages", async ({ page, camp, somebody }) => {
  await staff(page, camp);
  await page.goto("/admin/dashboard");
  await expect(page.getByText("You are all caught up.")).toBeVisible();
  await tiles(page, {
    Reports: "0 this year",
    Gallery: "0 videos of earlier years",
    Comments: "0 to review",
    Users: "0 users",
    "Live updates": "0 active",
    Messages: "0 unread",
    FAQ: "10 entries published",
    Store: "0 items",
  });
  await isSound(page, "an empty dashboard");

  await test.step("a day in camp", async () => {
    const year = new Date().getFullYear();
    const { id } = await posted(page, { title: "Campfire" });
    await posted(page, { title: "Hike", status: "draft" });
    await posted(page, { title: "Grand Siyum", status: "scheduled", scheduled_date: `${year + 1}-08-01T20:30` });
    const old: Schemas["NewGalleryVideo"] = {
      title: "Last summer",
      video_url: "https://youtu.be/dQw4w9WgXcQ",
      year: year - 1,
    };
    await call(page.request, "POST", "/api/admin/gallery", old);
    await told(page, { title: "Package room closes at 5" });
    await told(page, { title: "Pool opens" });
    await call(page.request, "POST", "/api/admin/products", {
      title: "Camp cap",
      price: 1_850,
      category: "clothing",
      stock_quantity: 12,
    });

    // One family that staff added has been overdue since last year. Another one signed up and waits for approval.
    const bluma = await call<Schemas["FamilyRow"]>(page.request, "POST", "/api/admin/users", {
      full_name: "Bluma Yarmush",
      email: "bluma@family.example",
      child_name: "Lipa",
    });
    await call(page.request, "PATCH", `/api/admin/users/${bluma.id}`, {
      version: bluma.version,
      total_amount: 280_000,
      due_date: `${year - 1}-06-01`,
    });
    const chaya = await somebody();
    await parent(chaya, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    const { id: comment } = await call<{ id: string }>(chaya.request, "POST", `/api/videos/${id}/comments`, {
      content: "Hm.",
    });
    const stranger = await somebody();
    await call(stranger.request, "POST", `/api/comments/${comment}/report`, {});
    await call(stranger.request, "POST", "/api/contact", {
      name: "Bubby Feder",
      email: "bubby@family.example",
      subject: "Lost towel",
      user_type: "guest",
      department: "staff",
      message: "A blue one.",
    });
  });

  await test.step("the tiles show the numbers", async () => {
    await page.reload();
    await tiles(page, {
      Reports: "3 this year, 1 draft of any year",
      Gallery: "1 video of earlier years",
      Comments: "1 to review",
      Users: "2 users",
      "Live updates": "2 active",
      Messages: "1 unread",
      FAQ: "10 entries published",
      Store: "1 item",
    });
    await expect(page.getByText("You are all caught up.")).toBeHidden();
    await isSound(page, "a full dashboard");
  });

  const lines = [
    ["1 unread message", /\/admin\/messages\?status=unread$/, "Lost towel"],
    ["1 reported comment", /\/admin\/comments\?filter=reported$/, "Campfire"],
    ["1 family to approve", /\/admin\/users\?filter=to_approve$/, "Chaya Feder"],
    ["1 overdue plan", /\/admin\/users\?filter=overdue$/, "Bluma Yarmush"],
    [/^Next video: Grand Siyum/, /\/admin\/reports\?status=scheduled$/, "Grand Siyum"],
  ] as const;
  for (const [says, address, found] of lines) {
    await test.step(`${says} leads to just that`, async () => {
      await page.goto("/admin/dashboard");
      await waiting(page).getByRole("link", { name: says }).click();
      await expect(page).toHaveURL(address);
      await expect(page.getByRole("main").getByText(found).first()).toBeVisible();
      for (const other of ["Hike", "Pool opens"]) await expect(page.getByRole("main").getByText(other)).toHaveCount(0);
    });
  }

  await test.step("finished tasks disappear by themselves", async () => {
    await page.goto("/admin/dashboard");
    await expect(waiting(page)).toContainText("1 unread message");
    const { items } = await call<{ items: Schemas["Message"][] }>(page.request, "GET", "/api/admin/messages");
    await call(page.request, "PATCH", `/api/admin/messages/${items[0]!.id}`, {
      version: items[0]!.version,
      status: "read",
    });
    await expect(waiting(page)).not.toContainText("1 unread message");
    await tiles(page, { Messages: "0 unread" });
  });
});

test("the quick actions open their forms, every tile opens its page, and only owners see what is theirs", async ({
  page,
  camp,
  somebody,
}) => {
  await staff(page, camp);
  const quick = page.getByRole("navigation", { name: "Quick actions" });
  await page.goto("/admin/dashboard");
  await quick.getByRole("link", { name: "Upload New Report" }).click();
  await expect(page).toHaveURL(/\/admin\/reports\?action=upload$/);
  await expect(page.getByRole("region", { name: "New report" }).getByLabel("Title")).toBeFocused();
  await page.goBack();
  await quick.getByRole("link", { name: "Create Update" }).click();
  await expect(page).toHaveURL(/\/admin\/live-updates\?action=create$/);
  await expect(page.getByRole("region", { name: "New update" }).getByLabel("Title")).toBeFocused();
  await page.goBack();
  await quick.getByRole("link", { name: "View Messages" }).click();
  await expect(page.getByRole("heading", { name: "Messages", level: 1 })).toBeVisible();

  const open = async (desk: Page) => {
    await desk.goto("/admin/dashboard");
    const links = desk.getByRole("region", { name: "Everything" }).getByRole("link");
    await expect(links.first()).toBeVisible();
    const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
    for (const [n, address] of addresses.entries()) {
      await links.nth(n).click();
      await expect(desk).toHaveURL(address);
      await expect(desk.getByRole("heading", { level: 1 }), address).not.toHaveText(/^(404|Dashboard)$/);
      await desk.goBack();
    }
    return addresses.map((address) => address.replace("/admin/", ""));
  };
  const forAll = [
    "reports",
    "gallery",
    "comments",
    "users",
    "payments",
    "live-updates",
    "messages",
    "mail",
    "faq",
    "store",
    "analytics",
  ];
  expect(await open(page)).toEqual(forAll);
  const owner = await somebody();
  await staff(owner, camp, "rabbi", "owner");
  expect(await open(owner)).toEqual([...forAll, "admin-management", "settings", "audit"]);

  await owner.goto("/admin/dashboard");
  await owner.getByRole("main").getByRole("button", { name: "Sign Out" }).click();
  await expect(owner.getByLabel("Username")).toBeVisible();
  expect((await owner.request.get("/api/admin/dashboard")).status()).toBe(401);
});
