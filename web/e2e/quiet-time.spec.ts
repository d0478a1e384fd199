import type { Page } from "@playwright/test";
import type { components } from "../src/api/schema.gen";
import { call, expect, parent, posted, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";

type Schemas = components["schemas"];

/** A local time in camp some hours from now. The camp's zone is UTC here. */
const hoursFromNow = (hours: number) => {
  const [date = "", time = ""] = new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16).split("T");
  return { date, time };
};
const localTime = (hours: number) => Object.values(hoursFromNow(hours)).join("T");

const section = (page: Page) => page.getByRole("region", { name: "Quiet time", exact: true });
const save = (page: Page) => section(page).getByRole("button", { name: "Save quiet time" }).click();
const notice = (page: Page) => page.getByRole("status").filter({ hasText: "emails and notifications wait until" });

/** The end of the current quiet time as pages show it: "Monday, 9:15 PM". */
async function end(page: Page) {
  const { quiet_time } = await call<Schemas["Site"]>(page.request, "GET", "/api/site");
  const at = new Date(quiet_time!.ends_at);
  const day = at.toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  const time = at.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit", timeZone: "UTC" });
  return `${day}, ${time}`;
}

test.describe("Quiet time", () => {
  test.use({ settings: { timezone: "UTC" } });

  test("an owner turns it on and sees the next ten; forms and pages say how long, and waiting email goes out once", async ({
    page,
    camp,
    somebody,
  }) => {
    const guest = await somebody();
    await parent(guest, camp, { name: "Chaya Feder", email: "chaya@family.example" });
    await call(guest.request, "PATCH", "/api/profile", { camp_updates_email: true });
    await staff(page, camp, "miriam", "owner");
    await page.goto("/admin/settings");
    const quiet = section(page);
    const next = quiet.getByRole("region", { name: "The next ten quiet times" }).getByRole("listitem");

    await test.step("the settings show what they mean before they are saved", async () => {
      await quiet.getByLabel("In quiet time").selectOption({ label: "Emails and notifications wait" });
      await expect(next).toHaveCount(10);
      const atFirst = await next.last().textContent();
      await quiet.getByLabel("Place").fill("Jerusalem");
      await expect(next.last()).not.toHaveText(atFirst!);
      const inJerusalem = await next.last().textContent();
      await quiet.getByLabel("Place").fill("Monsey, NY");
      await expect(next.last()).not.toHaveText(inJerusalem!);
      const inMonsey = await next.last().textContent();
      await quiet.getByLabel(/^Candle lighting/).fill("40");
      await expect(next.last()).not.toHaveText(inMonsey!);
      await quiet.getByLabel("Place").fill("Atlantis");
      await expect(quiet.getByText("They appear when this is complete: Place.")).toBeVisible();
      await quiet.getByLabel("Place").fill("Monsey, NY");

      const [from, to] = [hoursFromNow(-1), hoursFromNow(2)];
      const dates = quiet.getByRole("group", { name: "More dates" });
      await dates.getByLabel("First day").fill(from.date);
      await dates.getByLabel("Last day").fill(to.date);
      await dates.getByLabel("Only certain hours").check();
      await dates.getByLabel("From").fill(from.time);
      await dates.getByLabel("Until").fill(to.time);
      await dates.getByLabel("Name").fill("Parade");
      await dates.getByLabel("Last day").fill(hoursFromNow(-72).date);
      await save(page);
      await expect(dates.getByLabel("Last day")).toBeFocused();
      await expect(dates.getByLabel("Last day")).toHaveAccessibleDescription("The last day is before the first.");
      await dates.getByLabel("Last day").fill(to.date);
      // A typed date is not lost when somebody forgets to add it.
      await save(page);
      await expect(dates.getByLabel("First day")).toBeFocused();
      await expect(page.getByText("Quiet Time Updated")).toBeHidden();
      await dates.getByRole("button", { name: "Add date" }).click();
      await expect(next.first()).toContainText("Parade");
      await isSound(page, "the settings of quiet time");
      await save(page);
      await expect(toast(page)).toContainText("Quiet Time Updated");
    });

    await test.step("pages say when it ends", async () => {
      await guest.goto("/");
      await expect(notice(guest)).toContainText(await end(guest));
      await expect(notice(guest)).toContainText("Parade");
      await isSound(guest, "the home page in quiet time");
    });

    await test.step("a form says when the emails really go out, and they wait", async () => {
      await page.goto("/admin/live-updates?action=create");
      const form = page.getByRole("region", { name: "New update" });
      await expect(form.getByText(/^It is quiet time \(.*Parade.*\)\. Emails go out to(day|morrow), /)).toBeVisible();
      await form.getByLabel("Title").fill("Baseball results");
      await form.getByLabel("Message").fill("Bunk 7 won.");
      await form.getByLabel("Author").fill("Camp office");
      await form.getByRole("button", { name: "Post update to 1 person" }).click();
      await expect(toast(page)).toContainText(/Emails go out to(day|morrow), /);
      await expect(guest.getByRole("region", { name: "Live updates" })).toContainText("Baseball results");
    });

    await test.step("an urgent update does not wait, and is confirmed twice", async () => {
      await page.goto("/admin/live-updates?action=create");
      const form = page.getByRole("region", { name: "New update" });
      await form.getByLabel("Title").fill("The road is closed");
      await form.getByLabel("Message").fill("Please wait at home.");
      await form.getByLabel("Author").fill("Camp office");
      await form.getByLabel("Urgent").check();
      await expect(form.getByText(/^Emails go out right away, although it is quiet time/)).toBeVisible();
      await form.getByRole("button", { name: "Post update to 1 person" }).click();
      const question = page.getByRole("dialog", { name: "Post it as urgent?" });
      await question.getByRole("button", { name: "Post it now" }).click();
      await camp.mailTo("chaya@family.example", /The road is closed/);
      expect(await camp.mailsTo("chaya@family.example", /Baseball results/)).toEqual([]);
    });

    await test.step("when it is turned off, waiting emails go out once and the notice disappears", async () => {
      await page.goto("/admin/settings");
      await quiet.getByLabel("In quiet time").selectOption({ label: "Nothing changes" });
      await save(page);
      await expect(toast(page)).toContainText("Quiet Time Updated");
      await camp.mailTo("chaya@family.example", /Baseball results/);
      await guest.reload();
      await expect(guest.getByRole("region", { name: "Live updates" })).toContainText("Baseball results");
      await expect(notice(guest)).toBeHidden();
      for (const subject of [/Baseball results/, /The road is closed/])
        expect(await camp.mailsTo("chaya@family.example", subject)).toHaveLength(1);
    });
  });

  test.describe("for a camp that closes its site", () => {
    test.use({
      settings: {
        timezone: "UTC",
        contactPhone: "845-555-0142",
        shabbosMode: "closed",
        quietDates: `${localTime(-1)}/${localTime(3)} Parade`,
      },
    });

    test("parents see when it opens again, and staff can keep working", async ({ page, camp, somebody }) => {
      const guest = await somebody();
      await parent(guest, camp, { name: "Chaya Feder", email: "chaya@family.example" });
      await staff(page, camp, "miriam", "owner");
      const video = await posted(page, { title: "Campfire" });
      const closed = guest.getByRole("main", { name: "The site is resting" });
      for (const path of ["/", "/current-videos", `/video/${video.id}`, "/updates", "/profile"]) {
        await guest.goto(path);
        await expect(closed).toContainText(`it opens again ${await end(guest)}`);
        await expect(guest.getByRole("main"), "instead of the page").toHaveCount(1);
      }
      await expect(closed).toContainText("Parade");
      await expect(closed).toContainText("845-555-0142");
      await isSound(guest, "the closed site");
      expect((await guest.request.get(`/api/videos/${video.id}`)).status()).toBe(403);
      await guest.getByRole("contentinfo").getByRole("link", { name: "Contact" }).first().click();
      await expect(guest.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
      await expect(closed).toBeHidden();

      await page.goto(`/video/${video.id}`);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Campfire");
      await expect(notice(page)).toContainText("Parade");
      await page.goto("/admin/settings");
      await section(page).getByLabel("In quiet time").selectOption({ label: "Emails and notifications wait" });
      await save(page);
      await expect(toast(page)).toContainText("Quiet Time Updated");
      await guest.goto(`/video/${video.id}`);
      await expect(guest.getByRole("heading", { level: 1 })).toHaveText("Campfire");
    });
  });
});
