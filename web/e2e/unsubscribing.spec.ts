import { call, expect, linkTo, parent, posted, signIn, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";
import type { Page } from "@playwright/test";

const chaya = { name: "Chaya Feder", email: "chaya@family.example", child: "Mendy" };
const moshe = "moshe@family.example";
const preferences = (page: Page) => page.getByRole("region", { name: "Email Preferences" });
const card = (page: Page) => page.getByRole("complementary", { name: "Know when tonight’s video is up" });

/** Creates a family with this name, and a second address that staff entered. */
async function withSecondAddress({ request }: Page) {
  const list = await call<{ items: { id: string; version: number }[] }>(request, "GET", "/api/admin/users?q=feder");
  const [family] = list.items;
  await call(request, "PATCH", `/api/admin/users/${family!.id}`, { version: family!.version, secondary_email: moshe });
}

test("stopping all emails shows everywhere, and saving the profile unchanged does not undo it", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await parent(page, camp, chaya);
  await withSecondAddress(desk);
  await posted(desk, { title: "Swim relay" });
  const mail = await camp.mailTo(chaya.email, /Swim relay/);
  await camp.mailTo(moshe, /Swim relay/);

  // The link in the mail works without signing in.
  await page.context().clearCookies();
  await page.goto(linkTo("/unsubscribe", mail));
  await page.getByRole("button", { name: "Stop all emails from camp" }).click();
  await expect(page.getByRole("status")).toContainText("No more emails will go to");

  await page.goto("/profile");
  await signIn(page, chaya.email);
  const switches = preferences(page).getByRole("switch");
  await expect(switches).toHaveCount(4);
  for (const one of await switches.all()) await expect(one).not.toBeChecked();
  await expect(preferences(page)).toContainText(`${moshe} gets daily videos and newsletters from camp.`);
  await isSound(page, "the switches of one address of two");
  await page.getByRole("button", { name: "Save All Changes" }).click();
  await expect(toast(page)).toContainText("Profile Updated!");
  await page.reload();
  await expect(switches).toHaveCount(4);
  for (const one of await switches.all()) await expect(one).not.toBeChecked();
  await page.goto("/");
  await expect(card(page)).toContainText(`You turned off all emails to ${chaya.email}.`);

  await posted(desk, { title: "Campfire songs" });
  await camp.mailTo(moshe, /Campfire songs/);
  expect(await camp.mailsTo(chaya.email, /Campfire songs/)).toEqual([]);

  // Staff see the opt-out, and cannot change it.
  await desk.goto("/admin/users?q=feder");
  await desk.getByRole("button", { name: /Chaya Feder.*details/ }).click();
  await expect(
    desk.getByText("Stopped videos, updates and newsletters; only its owner can turn them back on."),
  ).toBeVisible();

  await card(page).getByRole("button", { name: "Customize Notifications" }).click();
  await card(page).getByRole("switch", { name: "Daily videos" }).check();
  await card(page).getByRole("button", { name: "Save" }).click();
  await expect(card(page)).toContainText(`We email you at ${chaya.email}`);
  await posted(desk, { title: "Lake at dawn" });
  await camp.mailTo(chaya.email, /Lake at dawn/);
});
