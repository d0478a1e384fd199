import type { components } from "../src/api/schema.gen";
import { call, expect, onYouTube, parent, posted, staff, test, toast } from "./support/camp";
import { pause } from "./support/portal";

type Schemas = components["schemas"];

/** The local time in the camp's time zone. */
function campClock(moment: Date) {
  const parts = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone: "America/New_York",
  }).formatToParts(moment);
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? "";
  return {
    date: `${part("year")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}`,
    second: part("second"),
  };
}

test("a scheduled video appears by itself on an open Home page when its time comes, and is mailed once", async ({
  page,
  camp,
  somebody,
}) => {
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const desk = await somebody();
  await staff(desk, camp);
  await posted(desk, { title: "Yesterday's campfire", status: "draft" });
  await page.goto("/");
  await expect(page.getByText("No videos available yet. Check back soon!")).toBeVisible();

  await desk.goto("/admin/reports?action=upload");
  const form = desk.getByRole("region", { name: "New report" });
  await form.getByLabel("Title").fill("Grand Siyum");
  await form.getByLabel("Video URL").fill(onYouTube().link);
  await form.getByLabel("Status").selectOption("Scheduled");
  await form.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(form.getByText("Please choose a date and time.")).toBeVisible();
  await form.getByLabel("Scheduled Date").fill(campClock(new Date(Date.now() - 86_400_000)).date);
  await form.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(form.getByLabel("Scheduled Date")).toHaveAttribute("aria-invalid", "true");
  await expect(form.getByLabel("Title")).toHaveValue("Grand Siyum");

  const { date, time } = campClock(new Date(Date.now() + 3_600_000));
  await form.getByLabel("Scheduled Date").fill(date);
  await form.getByLabel("Scheduled Time").fill(time);
  await form.getByRole("button", { name: "Schedule", exact: true }).click();
  await expect(toast(desk)).toContainText("Video uploaded successfully");
  const row = desk.getByRole("listitem").filter({ hasText: "Grand Siyum" });
  await expect(row).toContainText("Scheduled");
  await expect(row).toContainText("goes to 1 person");

  // The video's URL does not work before the publication, either.
  const address = await row.getByRole("link", { name: "Open Grand Siyum in a new tab" }).getAttribute("href");
  expect(address).toContain("youtube");
  expect(await camp.mailsTo("chaya@family.example", /Grand Siyum/)).toEqual([]);

  // The form takes only minutes, so the test sets a time within the next seconds.
  const { items } = await call<{ items: Schemas["AdminVideo"][] }>(desk.request, "GET", "/api/admin/videos");
  const { id, version } = items.find(({ title }) => title === "Grand Siyum")!;
  const moment = new Date(Date.now() + 8_000);
  const near = campClock(moment);
  await call(desk.request, "PATCH", `/api/admin/videos/${id}`, {
    version,
    scheduled_date: `${near.date}T${near.time}:${near.second}`,
  });
  await expect(page.getByRole("link", { name: "Grand Siyum" }).first()).toBeVisible();
  expect(Date.now()).toBeGreaterThanOrEqual(moment.getTime() - 1_000);
  await camp.mailTo("chaya@family.example", /Grand Siyum/);
  await expect(row).toContainText("Published");
  // The worker polls every five seconds.
  await pause(6_000);
  expect(await camp.mailsTo("chaya@family.example", /Grand Siyum/)).toHaveLength(1);
});

test("the banner of the current videos says when the next one comes", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await page.goto("/current-videos");
  const banner = page.getByRole("complementary", { name: "Posting time" });
  await expect(banner).toContainText("New Videos Daily!");
  await expect(banner).toContainText("Next update: Midnight");

  const { date } = campClock(new Date());
  await posted(desk, { title: "Tonight", status: "scheduled", scheduled_date: `${date}T23:59` });
  await page.reload();
  await expect(banner).toContainText("11:59 PM");
});
