import { expect, parent, posted, staff, test, toast } from "./support/camp";
import { isSound } from "./support/sound";

/** With this deadline, tonight's video is late at any time of day. */
test.use({ settings: { timezone: "UTC", postingDeadline: "06:00" } });

const tenDaysAgo = () => new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);

test("a family that asked for it is told once that tonight’s video is late", async ({ page, camp, somebody }) => {
  await test.step("a parent asks for the note", async () => {
    await parent(page, camp, { name: "Perl Erlenbrunn", email: "perl@family.example" });
    await page.goto("/profile");
    const asked = page.getByRole("switch", { name: "When tonight’s video is late" });
    await expect(asked).not.toBeChecked();
    await asked.check();
    await page.getByRole("button", { name: "Save All Changes" }).click();
    await expect(toast(page)).toContainText("Profile Updated");
    await page.reload();
    await expect(asked).toBeChecked();
  });

  const office = await somebody();
  await staff(office, camp);
  const late = office.getByRole("region", { name: "Tonight’s video" });

  await test.step("outside the season nothing is late", async () => {
    await office.goto("/admin/dashboard");
    await expect(office.getByRole("heading", { name: "What needs attention now" })).toBeVisible();
    await expect(late).toBeHidden();
  });

  await test.step("staff are asked once before anybody is told", async () => {
    await posted(office, { title: "Visiting the dairy", upload_date: tenDaysAgo() });
    await office.reload();
    await expect(late).toContainText("No video for tonight was published by 6:00 AM.");
    await isSound(office, "late video");
    await late.getByRole("button", { name: "Tell 1 family" }).click();
    const question = office.getByRole("dialog", { name: "Tell families that the video is late?" });
    await question.getByRole("button", { name: "Send email" }).click();
    await expect(toast(office)).toContainText("1 family will get the email.");
    await expect(late).toContainText("1 family was told.");
    await expect(late.getByRole("button")).toHaveCount(0);
  });

  const note = await camp.mailTo("perl@family.example", /is late/);
  expect(note.text).toContain("Once it is published, you will get it by email as usual.");

  await test.step("with tonight’s video nothing is late any more", async () => {
    await posted(office, { title: "Grand Siyum" });
    await camp.mailTo("perl@family.example", /New video: Grand Siyum/);
    await office.reload();
    await expect(office.getByRole("heading", { name: "What needs attention now" })).toBeVisible();
    await expect(late).toBeHidden();
  });
});
