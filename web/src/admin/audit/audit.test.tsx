import { screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { open, refuse, server } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import { shown } from "./words";

const video = "01a19ecb-8360-74d7-a24c-a27b5b93cfec";
const family = "01a19ecb-8360-74d7-a24c-a27b5b93c0de";
const entry = (id: string, change: object) => ({
  id,
  at: "2026-07-29T23:15:00Z",
  actor_kind: "staff",
  actor_id: "s1",
  actor_name: "kornbluh",
  actor_family: null,
  action: "video.edit",
  subject_kind: "video",
  subject_id: video,
  subject_name: "Campfire",
  subject_family: null,
  lines: [],
  ...change,
});
const menus = {
  actions: ["payment.record", "settings.set", "video.delete", "video.edit"],
  subjects: ["profile", "setting", "video"],
  staff: [
    { id: "s1", username: "kornbluh" },
    { id: "s2", username: "feder" },
  ],
  currency: "USD",
};
const camp = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/audit/filters": menus,
    "GET /api/admin/audit": ({ query }: { query: Record<string, string> }) =>
      query.cursor
        ? {
            items: [
              entry("a4", {
                actor_kind: "operator",
                actor_id: null,
                actor_name: null,
                action: "seed",
                subject_kind: "database",
                subject_id: null,
                subject_name: null,
              }),
            ],
            next: null,
          }
        : {
            items: [
              entry("a1", {
                lines: [
                  { field: "author", after: "changed" },
                  { field: "title", before: "Old", after: "New" },
                ],
              }),
              entry("a2", {
                action: "settings.set",
                subject_kind: "setting",
                subject_id: null,
                subject_name: null,
                lines: [{ field: "sessionTimeout", before: 30, after: 45 }],
              }),
              entry("a3", {
                action: "payment.record",
                subject_kind: "profile",
                subject_id: family,
                subject_family: family,
                subject_name: null,
                actor_name: null,
                lines: [
                  { field: "kind", after: "payment" },
                  { field: "paid_amount", before: 0, after: 12_550 },
                ],
              }),
            ],
            next: "c",
          },
    ...answers,
  });
const row = (name: string) => screen.findByRole("listitem", { name });
const asked = (portal: ReturnType<typeof camp>) => portal.asked("GET", "/api/admin/audit").at(-1)?.query;
const address = () => screen.getByTestId("address").textContent;

it("tells who did what, with before and after, and loads more", async () => {
  camp();
  const user = open("/admin/audit");
  const edit = await row("Video changed");
  expect(edit.textContent).toMatch(/by kornbluh.*July 29, 2026, 7:15 PM.*Titlebefore Old→, after New.*Author: Changed/);
  expect(within(edit).getByRole("link", { name: "Campfire" }).getAttribute("href")).toBe("/admin/reports?q=Campfire");
  expect((await row("Setting changed")).textContent).toContain("Session timeout (minutes)before 30→, after 45");
  const payment = await row("Payment recorded");
  expect(payment.textContent).toMatch(/by a former staff account.*Paidbefore \$0→, after \$125\.50.*Kind: Payment/);
  expect(within(payment).getByRole("link", { name: "Family" }).getAttribute("href")).toBe(
    `/admin/users?user=${family}`,
  );
  await user.click(screen.getByRole("button", { name: "Load more lines" }));
  expect((await row("Sample camp created")).textContent).toContain("by the command line");
});

it("is filtered by person, action, kind, record and days, in the address bar", async () => {
  const portal = camp();
  const user = open("/admin/audit");
  await row("Video changed");
  await user.selectOptions(screen.getByLabelText("Who"), "feder");
  await user.selectOptions(screen.getByLabelText("What"), "Videos: everything");
  await user.selectOptions(screen.getByLabelText("Kind of record"), "Video");
  await user.type(screen.getByLabelText("From"), "2026-07-01");
  await user.type(screen.getByLabelText("To"), "2026-07-31");
  expect(address()).toBe("/admin/audit?who=feder&what=video&of=video&from=2026-07-01&to=2026-07-31");
  await waitFor(() =>
    expect(asked(portal)).toEqual({
      actor: "feder",
      action: "video",
      subject_kind: "video",
      from: "2026-07-01",
      to: "2026-07-31",
      limit: "50",
    }),
  );
  await user.selectOptions(screen.getByLabelText("Who"), "The command line");
  await waitFor(() => expect(asked(portal)).toMatchObject({ actor_kind: "operator" }));
  expect(asked(portal)).not.toHaveProperty("actor");
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(address()).toBe("/admin/audit");
  expect((screen.getByLabelText("From") as HTMLInputElement).value).toBe("");
});

it("leads to everything about one record, and says what is not an id", async () => {
  const portal = camp();
  const user = open("/admin/audit");
  await user.click(within(await row("Video changed")).getByRole("link", { name: "Everything about record …5b93cfec" }));
  expect(address()).toBe(`/admin/audit?record=${video}`);
  await waitFor(() => expect(asked(portal)?.subject_id).toBe(video));
  const field = screen.getByLabelText("Record id");
  await user.clear(field);
  expect(address()).toBe("/admin/audit");
  await user.type(screen.getByLabelText("Record id"), "12{Enter}");
  expect(await screen.findByText("Please enter a whole record id, or leave it empty.")).toBeTruthy();
  expect(screen.getByLabelText("Record id").getAttribute("aria-invalid")).toBe("true");
  expect(screen.queryByRole("list", { name: "Audit log" })).toBeNull();
});

it("says beside the field which dates are impossible, and sends no request", async () => {
  const portal = camp();
  open("/admin/audit?from=2026-07-31&to=2026-07-01");
  expect(await screen.findByText("The last day is before the first.")).toBeTruthy();
  expect(screen.getByLabelText("To").getAttribute("aria-invalid")).toBe("true");
  expect((screen.getByRole("button", { name: "Export CSV" }) as HTMLButtonElement).disabled).toBe(true);
  expect(portal.asked("GET", "/api/admin/audit")).toEqual([]);
});

it("shows the server's refusal beside its field", async () => {
  camp({
    "GET /api/admin/audit": refuse(422, "validation", "There is no staff account with this name.", [
      { field: "actor", message: "There is no staff account with this name." },
    ]),
  });
  open("/admin/audit?who=gone");
  expect(await screen.findByText("There is no staff account with this name.")).toBeTruthy();
  expect(screen.getByLabelText("Who").getAttribute("aria-invalid")).toBe("true");
  expect((screen.getByLabelText("Who") as HTMLSelectElement).value).toBe("gone");
});

it("tells an empty result from an empty log", async () => {
  camp({ "GET /api/admin/audit": { items: [], next: null } });
  const user = open("/admin/audit?what=video.delete");
  expect(await screen.findByText("Nothing matches these filters")).toBeTruthy();
  await user.click(screen.getAllByRole("button", { name: "Clear filters" }).at(-1)!);
  expect(await screen.findByText("Nothing has been recorded yet")).toBeTruthy();
});

it("is exported as a table with the same filters", async () => {
  const portal = camp({ "GET /api/admin/audit.csv": "When,Who" });
  const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:table");
  const user = open("/admin/audit?who=feder&what=video");
  await user.click(await screen.findByRole("button", { name: "Export CSV" }));
  expect(await screen.findByText("The log was downloaded")).toBeTruthy();
  expect(portal.asked("GET", "/api/admin/audit.csv").at(-1)?.query).toEqual({ actor: "feder", action: "video" });
  expect(await (saved.mock.calls[0]![0] as Blob).text()).toBe('"When,Who"');
});

it("offers another try after a failure", async () => {
  camp({ "GET /api/admin/audit": refuse(400, "x", "Not now.") });
  open("/admin/audit");
  expect(await screen.findByText("Failed to load the audit log")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry" })).toBeTruthy();
});

it("is for owners only", async () => {
  const portal = camp({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
  open("/admin/audit");
  expect(await screen.findByText("Only owners can see this page")).toBeTruthy();
  expect(portal.asked("GET", "/api/admin/audit")).toEqual([]);
});

it("shows values in readable form", () => {
  const reading = { timeZone: "America/New_York", menus };
  const said = (field: string, value: unknown) => shown(field, value, reading);
  expect(said("price", 1_850)).toBe("$18.50");
  expect(said("stock_quantity", 1_200)).toBe("1,200");
  expect(said("is_active", false)).toBe("No");
  expect(said("emailEnabled", false)).toBe("Off");
  expect(said("scheduled_date", "2026-07-29T23:15:00Z")).toBe("July 29, 2026, 7:15 PM");
  expect(said("due_date", "2026-07-29")).toBe("Jul 29, 2026");
  expect(said("due_date", null)).toBe("Not set");
  expect(said("priority", "high")).toBe("High");
  expect(said("title", "high")).toBe("high");
  expect(said("assigned_to", video)).toBe("…5b93cfec");
  expect(said("images", [2, 1])).toBe("2, 1");
  expect(said("action", "video.edit")).toBe("Video changed");
  expect(said("action", "video.turn_round")).toBe("Video: turn round");
});

it("names the account of a refused sign-in, or what was typed where there is none", async () => {
  const refused = { actor_kind: "nobody", actor_id: null, actor_name: null, action: "user.sign_in_refused" };
  const login = { ...refused, subject_kind: "user" };
  camp({
    "GET /api/admin/audit": {
      items: [
        entry("r1", { ...login, subject_id: video, subject_name: "leah@family.example", subject_family: family }),
        entry("r2", {
          ...login,
          subject_id: null,
          subject_name: null,
          lines: [
            { field: "account", after: "unknown" },
            { field: "tried", after: "le…@elsewhere.example" },
          ],
        }),
      ],
      next: null,
    },
  });
  open("/admin/audit");
  const known = await screen.findByRole("link", { name: "Login of a family leah@family.example" });
  expect(known.getAttribute("href")).toBe(`/admin/users?user=${family}`);
  expect(screen.getByText("le…@elsewhere.example").closest("div")?.textContent).toBe(
    "Name that was tried: le…@elsewhere.example",
  );
  expect(screen.getByText("Unknown").closest("div")?.textContent).toBe("Account: Unknown");
});
