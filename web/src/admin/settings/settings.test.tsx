import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { list, never, open, refuse, server } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import type { Setting } from "./queries";

const setting = (change: Partial<Setting> & Pick<Setting, "key" | "value">): Setting => ({
  default: change.value,
  group: "general",
  kind: "line",
  min: 0,
  max: 60,
  choices: [],
  help: "What it is for",
  unavailable: null,
  problem: null,
  ...change,
});

const all = (name = "Camp Pine Lake") => [
  setting({ key: "siteName", value: name, min: 1, help: "The camp's name, in titles, headers and mail" }),
  setting({ key: "contactEmail", value: "office@camp.example", kind: "email", min: null, max: null }),
  setting({ key: "timezone", value: "America/New_York", kind: "zone", min: null, max: null }),
  setting({ key: "emailEnabled", value: true, group: "notifications", kind: "switch", min: null, max: null }),
  setting({
    key: "smsEnabled",
    value: false,
    group: "notifications",
    kind: "switch",
    min: null,
    max: null,
    unavailable: "No SMS gateway is connected to the portal.",
  }),
  setting({
    key: "access",
    value: "everyone",
    group: "security",
    kind: "choice",
    choices: ["everyone", "signed_in", "families"],
    min: null,
    max: null,
  }),
  setting({
    key: "sessionTimeout",
    value: 30,
    group: "security",
    kind: "number",
    min: 5,
    max: 720,
    help: "Minutes without a click",
  }),
];

const camp = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/settings": list(...all()),
    "PATCH /api/admin/settings": list(...all("Camp Ner")),
    ...answers,
  });

const field = (name: string | RegExp) => screen.findByLabelText(name);
const patched = (portal: ReturnType<typeof server>) =>
  portal.asked("PATCH", "/api/admin/settings").map(({ body }) => body);

beforeEach(() => {
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
  // Four hundred time zones would make the page slow in happy-dom.
  vi.spyOn(Intl, "supportedValuesOf").mockReturnValue(["America/New_York", "Europe/Vienna"]);
});

describe("the settings", () => {
  it("have the hour of payment reminders in words", async () => {
    const reminderHour = setting({ key: "reminderHour", value: 10, group: "payments", kind: "hour", max: 23 });
    const portal = camp({ "GET /api/admin/settings": list(...all(), reminderHour) });
    const user = open("/admin/settings");
    const hour = await field("Time of day");
    expect(within(hour).getByRole("option", { name: "10:00 AM" })).toHaveProperty("selected", true);
    await user.selectOptions(hour, "6:00 PM");
    await user.click(screen.getByRole("button", { name: "Save payment reminders" }));
    await waitFor(() => expect(patched(portal)).toHaveLength(1));
    expect(patched(portal)[0]).toMatchObject({ reminderHour: 18 });
  });

  it("have the hour of the daily email among the notifications", async () => {
    const digestHour = setting({ key: "digestHour", value: 21, group: "notifications", kind: "hour", max: 23 });
    const portal = camp({ "GET /api/admin/settings": list(...all(), digestHour) });
    const user = open("/admin/settings");
    const hour = await field("Time of the daily email");
    expect(within(hour).getByRole("option", { name: "9:00 PM" })).toHaveProperty("selected", true);
    await user.selectOptions(hour, "7:00 AM");
    await user.click(screen.getByRole("button", { name: "Save notifications" }));
    await waitFor(() => expect(patched(portal)).toHaveLength(1));
    expect(patched(portal)[0]).toMatchObject({ digestHour: 7 });
  });

  it("are shown by kind, with what they are for, and with why one is missing", async () => {
    camp();
    open("/admin/settings");
    expect(await field("Camp name")).toHaveProperty("value", "Camp Pine Lake");
    expect(screen.getByText("The camp's name, in titles, headers and mail")).toBeTruthy();
    expect(await field("Time zone")).toHaveProperty("value", "America/New_York");
    expect(screen.getByRole("option", { name: "Families of the camp" })).toBeTruthy();
    expect(screen.getByText("Minutes without a click: from 5 to 720")).toBeTruthy();
    expect(screen.getByRole("switch", { name: "Text messages" })).toHaveProperty("disabled", true);
    expect(screen.getByText(/No SMS gateway is connected/)).toBeTruthy();
  });

  it("say which stored values are not in effect, and keep what somebody chooses instead", async () => {
    const access = setting({
      key: "access",
      value: "families",
      group: "security",
      kind: "choice",
      choices: ["everyone", "signed_in", "families"],
      min: null,
      max: null,
    });
    const portal = camp({
      "GET /api/admin/settings": list({ ...access, problem: "“all” is stored, which is not allowed." }),
      "PATCH /api/admin/settings": list(access),
    });
    const user = open("/admin/settings");
    expect(
      await screen.findByText(/“all” is stored, which is not allowed. In effect now: Families of the camp/),
    ).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Choose this for Access to videos" }));
    await user.click(screen.getByRole("button", { name: "Save security settings" }));
    expect(await screen.findByText("Security Settings Updated")).toBeTruthy();
    expect(patched(portal)).toEqual([{ access: "families", seen: { access: "families" } }]);
    expect(screen.queryByText(/which is not allowed/)).toBeNull();
  });

  it("are saved one group at a time, and the other group keeps what was typed", async () => {
    const portal = camp();
    const user = open("/admin/settings");
    await user.clear(await field("Camp name"));
    await user.type(await field("Camp name"), "Camp Ner");
    await user.click(screen.getByRole("switch", { name: "Email" }));
    expect(screen.getAllByText("1 unsaved change")).toHaveLength(2);
    await user.click(screen.getByRole("button", { name: "Save general settings" }));
    expect(await screen.findByText("Settings Saved")).toBeTruthy();
    expect(patched(portal)).toEqual([{ siteName: "Camp Ner", seen: { siteName: "Camp Pine Lake" } }]);
    expect(screen.getByRole("switch", { name: "Email" })).toHaveProperty("checked", false);
    await user.click(screen.getByRole("button", { name: "Save notifications" }));
    expect(await screen.findByText("Notifications Updated")).toBeTruthy();
    expect(patched(portal).at(-1)).toEqual({ emailEnabled: false, seen: { emailEnabled: true } });
    await user.selectOptions(await field("Access to videos"), "families");
    await user.click(screen.getByRole("button", { name: "Save security settings" }));
    expect(await screen.findByText("Security Settings Updated")).toBeTruthy();
    expect(patched(portal).at(-1)).toEqual({ access: "families", seen: { access: "everyone" } });
  });

  it("keep what was typed during a visit to another page", async () => {
    camp({ "GET /api/admin/videos": list(), "GET /api/admin/videos/years": list() });
    const user = open("/admin/settings");
    await user.type(await field("Camp name"), " two");
    await user.click(screen.getByRole("link", { name: /^Gallery/ }));
    await waitFor(() => expect(screen.queryByLabelText("Camp name")).toBeNull());
    await user.click(screen.getByRole("link", { name: "Settings" }));
    expect(await field("Camp name")).toHaveProperty("value", "Camp Pine Lake two");
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    expect(await field("Camp name")).toHaveProperty("value", "Camp Pine Lake");
  });

  it("say beside the field what the server finds wrong, in words of this page", async () => {
    camp({
      "PATCH /api/admin/settings": refuse(422, "validation", "siteName must not be empty.", [
        { field: "siteName", message: "siteName must not be empty." },
      ]),
    });
    const user = open("/admin/settings");
    const name = await field("Camp name");
    await user.clear(name);
    await user.click(screen.getByRole("button", { name: "Save general settings" }));
    expect(await screen.findByText("Camp name must not be empty.")).toBeTruthy();
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(name);
    expect(name).toHaveProperty("value", "");
  });

  it("send numbers as numbers, and nothing else", async () => {
    const portal = camp();
    const user = open("/admin/settings");
    const minutes = await field("Session timeout (minutes)");
    await user.clear(minutes);
    await user.type(minutes, "soon");
    await user.click(screen.getByRole("button", { name: "Save security settings" }));
    expect(await screen.findByText("Please enter a whole number from 5 to 720.")).toBeTruthy();
    expect(patched(portal)).toEqual([]);
    await user.clear(minutes);
    await user.type(minutes, "45");
    await user.click(screen.getByRole("button", { name: "Save security settings" }));
    await screen.findByText("Security Settings Updated");
    expect(patched(portal)).toEqual([{ sessionTimeout: 45, seen: { sessionTimeout: 30 } }]);
  });

  it("are for owners only", async () => {
    const portal = camp({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/settings");
    expect(await screen.findByText("Only owners can see this page")).toBeTruthy();
    expect(portal.asked("GET", "/api/admin/settings")).toEqual([]);
  });

  it("say when they are loading", async () => {
    camp({ "GET /api/admin/settings": never });
    open("/admin/settings");
    expect(await screen.findByRole("status", { name: "Loading settings" })).toBeTruthy();
  });

  it("offer another try after a failure", async () => {
    const portal = camp({ "GET /api/admin/settings": refuse(400, "x", "Not now.") });
    const user = open("/admin/settings");
    expect(await screen.findByText("Failed to load settings")).toBeTruthy();
    portal.answer("GET /api/admin/settings", list(...all()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await field("Camp name")).toBeTruthy();
  });
});

it("the usual amount of a plan is money, kept in cents", async () => {
  const plan = setting({
    key: "defaultPlanAmount",
    value: 280_000,
    kind: "number",
    min: 0,
    max: 100_000_000,
    help: "What a new family owes, in cents",
  });
  const portal = camp({
    "GET /api/admin/settings": list(plan),
    "PATCH /api/admin/settings": list({ ...plan, value: 310_050 }),
  });
  const user = open("/admin/settings");
  const amount = await field("Default plan amount");
  expect(amount).toHaveProperty("value", "2,800.00");
  await user.clear(amount);
  await user.type(amount, "lots");
  await user.click(screen.getByRole("button", { name: "Save general settings" }));
  expect(await screen.findByText("Please enter an amount, for example 1,250.00.")).toBeTruthy();
  await user.clear(amount);
  await user.type(amount, "3,100.50");
  await user.click(screen.getByRole("button", { name: "Save general settings" }));
  expect(await screen.findByText("Settings Saved")).toBeTruthy();
  expect(patched(portal)).toEqual([{ defaultPlanAmount: 310_050, seen: { defaultPlanAmount: 280_000 } }]);
});

describe("two owners at the same settings", () => {
  it("do not overwrite each other, and nothing that was typed is lost", async () => {
    const portal = camp({ "PATCH /api/admin/settings": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/settings");
    await user.clear(await field("Camp name"));
    await user.type(await field("Camp name"), "Camp Or");
    await user.click(screen.getByRole("button", { name: "Save general settings" }));
    expect(await screen.findByText(/Someone else changed this page while you were editing/)).toBeTruthy();
    portal.answer("GET /api/admin/settings", list(...all("Camp Ner")));
    portal.answer("PATCH /api/admin/settings", list(...all("Camp Or")));
    await user.click(screen.getByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(screen.queryByText(/in the meantime/)).toBeNull());
    expect(await field("Camp name")).toHaveProperty("value", "Camp Or");
    await user.click(screen.getByRole("button", { name: "Save general settings" }));
    expect(await screen.findByText("Settings Saved")).toBeTruthy();
    expect(patched(portal).at(-1)).toEqual({ siteName: "Camp Or", seen: { siteName: "Camp Ner" } });
  });
});

describe("the look", () => {
  const hero = (...ids: string[]) =>
    setting({ key: "heroPictures", value: ids, group: "look", kind: "pictures", min: null, max: 3 });
  const logo = (value: string | null) =>
    setting({ key: "logo", value, group: "look", kind: "picture", min: null, max: null });
  const color = setting({ key: "mainColor", value: "", group: "look", kind: "color", min: null, max: null });

  it("uploads up to three pictures at once, and changes their order", async () => {
    const portal = camp({
      "GET /api/admin/settings": list(logo(null), hero("a", "b")),
      "PATCH /api/admin/settings": list(logo(null), hero("b", "a")),
    });
    const user = open("/admin/settings");
    const pictures = within(await screen.findByRole("group", { name: "Home pictures" }));
    await user.click(pictures.getByRole("button", { name: "Show home picture 2 earlier" }));
    await waitFor(() =>
      expect(patched(portal)).toEqual([{ heroPictures: ["b", "a"], seen: { heroPictures: ["a", "b"] } }]),
    );
    await user.click(pictures.getByRole("button", { name: "Remove home picture 1" }));
    await user.click(screen.getByRole("button", { name: "Remove picture" }));
    expect(await screen.findByText("Picture removed")).toBeTruthy();
    expect(patched(portal).at(-1)).toEqual({ heroPictures: ["a"], seen: { heroPictures: ["b", "a"] } });
    expect(screen.getByText(/built-in tent/)).toBeTruthy();
  });

  it("goes back to the built-in logo after asking", async () => {
    const portal = camp({ "GET /api/admin/settings": list(logo("a")), "PATCH /api/admin/settings": list(logo(null)) });
    const user = open("/admin/settings");
    expect(await screen.findByAltText("Logo on dark ground")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Use the built-in one" }));
    await user.click(screen.getByRole("button", { name: "Remove the logo" }));
    expect(await screen.findByText(/built-in tent/)).toBeTruthy();
    expect(patched(portal)).toEqual([{ logo: null, seen: { logo: "a" } }]);
  });

  it("says beside the color what is wrong with it", async () => {
    camp({
      "GET /api/admin/settings": list(color),
      "PATCH /api/admin/settings": refuse(422, "validation", "No.", [
        { field: "mainColor", message: "Please enter a color like #1b5a40." },
      ]),
    });
    const user = open("/admin/settings");
    await user.type(await screen.findByLabelText(/^Main color/), "green");
    await user.click(screen.getByRole("button", { name: "Save colors" }));
    expect(await screen.findByText("Please enter a color like #1b5a40.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText(/^Main color/));
  });
});

describe("export and import", () => {
  it("gives what is saved as a file", async () => {
    camp({ "GET /api/admin/settings/export": { siteName: "Camp Pine Lake" } });
    const user = open("/admin/settings");
    await field("Camp name");
    await user.click(screen.getByRole("button", { name: "Export" }));
    expect(await screen.findByText("Settings Exported")).toBeTruthy();
    expect(URL.createObjectURL).toHaveBeenCalled();
  });

  it("shows what would change and what cannot, then applies the rest", async () => {
    const portal = camp({
      "POST /api/admin/settings/preview": list(
        { key: "siteName", before: "Camp Pine Lake", after: "Camp Ner", problem: null },
        { key: "sessionTimeout", before: 30, after: 2, problem: "sessionTimeout must be from 5 to 720." },
      ),
    });
    const user = open("/admin/settings");
    // Importing the file replaces what was typed but not saved.
    await user.type(await field("Camp name"), "!");
    await user.click(screen.getByRole("button", { name: "Import" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Import settings" }));
    const file = new File(['{"siteName":"Camp Ner","sessionTimeout":2}'], "settings.json", {
      type: "application/json",
    });
    await user.upload(dialog.getByLabelText("Settings file"), file);
    expect(await dialog.findByText("1 setting would change; 1 line with a problem is skipped.")).toBeTruthy();
    expect(portal.asked("POST", "/api/admin/settings/preview")[0]?.body).toEqual({
      siteName: "Camp Ner",
      sessionTimeout: 2,
    });
    expect(dialog.getByRole("row", { name: "Camp name Camp Pine Lake Camp Ner" })).toBeTruthy();
    expect(dialog.getByText(/Session timeout \(minutes\) must be from 5 to 720/)).toBeTruthy();
    expect(patched(portal)).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Apply 1 change" }));
    expect(await screen.findByText("Settings Imported")).toBeTruthy();
    expect(patched(portal)).toEqual([{ siteName: "Camp Ner", seen: { siteName: "Camp Pine Lake" } }]);
    expect(await field("Camp name")).toHaveProperty("value", "Camp Ner");
    await user.type(await field("Camp name"), "!");
    await user.click(screen.getByRole("button", { name: "Save general settings" }));
    await waitFor(() =>
      expect(patched(portal).at(-1)).toEqual({ siteName: "Camp Ner!", seen: { siteName: "Camp Ner" } }),
    );
  });

  it("accepts no other kind of file", async () => {
    const portal = camp();
    const user = open("/admin/settings");
    await field("Camp name");
    await user.click(screen.getByRole("button", { name: "Import" }));
    await user.upload(
      await screen.findByLabelText("Settings file"),
      new File(["[1]"], "x.json", { type: "application/json" }),
    );
    expect(await screen.findByText(/is not a settings file/)).toBeTruthy();
    expect(portal.asked("POST", "/api/admin/settings/preview")).toEqual([]);
  });
});

describe("quiet time", () => {
  const quietSettings = (change: Record<string, unknown> = {}) =>
    list(
      ...[
        setting({ key: "shabbosMode", value: "quiet", kind: "choice", choices: ["none", "quiet", "closed"] }),
        setting({ key: "quietHours", value: "candle_lighting", kind: "choice", choices: ["candle_lighting", "fixed"] }),
        setting({ key: "quietPlace", value: "Monsey, NY", kind: "place" }),
        setting({ key: "nightfall", value: "8.5 degrees", kind: "nightfall" }),
        setting({ key: "quietStart", value: "Friday 18:00", kind: "week_time" }),
        setting({ key: "quietEnd", value: "Saturday 22:00", kind: "week_time" }),
        setting({ key: "quietDates", value: [], kind: "extra_times" }),
      ].map((one) => ({ ...one, group: "quiet_time", value: change[one.key] ?? one.value })),
    );
  const shabbos = { starts_at: "2030-07-20T00:05:00Z", ends_at: "2030-07-21T01:13:00Z", name: "Shabbos" };
  const quietCamp = (answers: Record<string, unknown> = {}) =>
    camp({
      "GET /api/admin/settings": quietSettings(),
      "PATCH /api/admin/settings": quietSettings(),
      "POST /api/admin/quiet-time/preview": list(shabbos),
      "GET /api/admin/quiet-time/places": list("Monsey, NY", "Jerusalem"),
      ...answers,
    });
  const previews = (portal: ReturnType<typeof server>) =>
    portal.asked("POST", "/api/admin/quiet-time/preview").map(({ body }) => body);

  it("shows what the settings mean as they are typed", async () => {
    const portal = quietCamp();
    const user = open("/admin/settings");
    const preview = within(await screen.findByRole("region", { name: "The next ten quiet times" }));
    expect(await preview.findByText("Shabbos")).toBeTruthy();
    expect(preview.getByText(/^Friday, Jul 19, 2030, 8:05\sPM to Saturday, Jul 20, 2030, 9:13\sPM$/)).toBeTruthy();
    expect(previews(portal)).toEqual([{}]);
    await user.selectOptions(await field("Nightfall"), "72 minutes after sunset");
    await waitFor(() => expect(previews(portal).at(-1)).toEqual({ nightfall: "72 minutes" }));
    portal.answer(
      "POST /api/admin/quiet-time/preview",
      refuse(422, "validation", "No.", [{ field: "quietPlace", message: "No." }]),
    );
    await user.clear(await field("Place"));
    expect(await preview.findByText("They appear when this is complete: Place.")).toBeTruthy();
  });

  it("asks for the place, or for fixed times of the week", async () => {
    const portal = quietCamp({ "GET /api/admin/settings": quietSettings({ shabbosMode: "none" }) });
    const user = open("/admin/settings");
    await field("In quiet time");
    expect(screen.queryByLabelText("Place"), "without quiet time there is nothing to ask").toBeNull();
    expect(screen.queryByRole("region", { name: "The next ten quiet times" })).toBeNull();
    await user.selectOptions(await field("In quiet time"), "Emails and notifications wait");
    expect(await field("Place")).toHaveProperty("value", "Monsey, NY");
    expect(screen.queryByLabelText("Begins")).toBeNull();
    await user.selectOptions(await field("Hours"), "Fixed times of the week");
    expect(screen.queryByLabelText("Place")).toBeNull();
    await user.selectOptions(await field("Begins"), "Sunday");
    await user.click(screen.getByRole("button", { name: "Save quiet time" }));
    expect(await screen.findByText("Quiet Time Updated")).toBeTruthy();
    expect(patched(portal)).toEqual([
      expect.objectContaining({ shabbosMode: "quiet", quietHours: "fixed", quietStart: "Sunday 18:00" }),
    ]);
  });

  it("takes dates by hand and from a calendar file, and saves them with the form", async () => {
    const fast = { from: "2030-08-08", to: "2030-08-08", name: "Tisha B'Av" };
    const portal = quietCamp({
      "POST /api/admin/quiet-time/calendar": { dates: [fast], repeating: 2, past: 0, unusable: 0 },
    });
    const user = open("/admin/settings");
    await user.type(await field("First day"), "2030-07-26");
    await user.click(screen.getByRole("checkbox", { name: "Only certain hours" }));
    await user.type(await field("From"), "14:00");
    await user.type(await field("Until"), "16:30");
    await user.type(await field("Name (optional)"), "Visiting Day");
    await user.click(screen.getByRole("button", { name: "Add date" }));
    expect(screen.getByText(/^July 26, 2030, 2:00\sPM to 4:30\sPM$/)).toBeTruthy();
    const file = new File(["BEGIN:VCALENDAR"], "holidays.ics", { type: "text/calendar" });
    await user.upload(await field("Calendar file (.ics)"), file);
    expect(await screen.findByText("Save to keep them. Left out: 2 repeating events.")).toBeTruthy();
    expect(portal.asked("POST", "/api/admin/quiet-time/calendar")[0]?.body).toEqual({ text: "BEGIN:VCALENDAR" });
    await user.click(screen.getByRole("button", { name: "Save quiet time" }));
    const visit = { from: "2030-07-26T14:00", to: "2030-07-26T16:30", name: "Visiting Day" };
    await waitFor(() => expect(patched(portal)).toEqual([expect.objectContaining({ quietDates: [visit, fast] })]));
  });

  it("says at the field why a date cannot be added, and the same when it is saved", async () => {
    quietCamp();
    const user = open("/admin/settings");
    const add = async (name: string, sentence: string) => {
      await user.click(screen.getByRole("button", { name: "Add date" }));
      const wrong = await field(name);
      expect(document.activeElement).toBe(wrong);
      expect(wrong.getAttribute("aria-invalid")).toBe("true");
      expect(document.getElementById(wrong.getAttribute("aria-describedby")!)?.textContent).toBe(sentence);
    };
    const reminder = async (name: string) => ((await field(name)) as HTMLInputElement).validationMessage;
    await field("First day");
    await add("First day", "Please choose the first day.");
    expect(await reminder("First day"), "nothing is lost").toBe("");

    await user.type(await field("First day"), "2030-07-26");
    expect(screen.queryByText("Please choose the first day.")).toBeNull();
    expect(await reminder("First day")).toBe("Please press “Add date” first, or clear these fields.");
    await user.type(await field("Last day (optional)"), "2030-07-20");
    await add("Last day (optional)", "The last day is before the first.");
    expect(await reminder("First day")).toBe("");
    expect(await reminder("Last day (optional)")).toBe(
      "The last day is before the first. To save without this date, clear these fields.",
    );
    await user.clear(await field("Last day (optional)"));
    await user.click(screen.getByRole("checkbox", { name: "Only certain hours" }));
    await add("From", "Please enter when it begins.");
    await user.type(await field("From"), "16:30");
    await add("Until", "Please enter when it ends.");
    await user.type(await field("Until"), "14:00");
    await add("Until", "The end must be after the start.");
    await user.click(screen.getByRole("checkbox", { name: "Only certain hours" }));
    await user.click(screen.getByRole("button", { name: "Add date" }));
    expect(screen.getByText("July 26, 2030")).toBeTruthy();
    expect(await reminder("First day")).toBe("");
  });
});
