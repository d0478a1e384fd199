import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { detail, family, leah, payment, plan, summary } from "../../test/families";
import { list, open, refuse, server, unreachable } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
// Fetched before the clock of the first test runs.
import "../../app/admin";
import "./users";

// Long journeys on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const office = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/users": list(family(), leah),
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/users/f1": detail(),
    "GET /api/admin/users/f2": { ...leah, payments: [], emails: [] },
    ...answers,
  });
const row = async (name: string) => within((await screen.findByText(name, { selector: "td bdi" })).closest("tr")!);
const address = () => screen.getByTestId("address").textContent;
const patched = { ...detail(), version: 5 };

describe("the list of users", () => {
  it("asks once for everything that failed, and says so once", async () => {
    const away = refuse(400, "invalid", "The camp's server cannot be reached right now.");
    const camp = office({ "GET /api/admin/users": away, "GET /api/admin/users/summary": away });
    const user = open("/admin/users");
    expect(await screen.findByText("Failed to load users")).toBeTruthy();
    camp.answer("GET /api/admin/users", list(family(), leah));
    camp.answer("GET /api/admin/users/summary", summary);
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("$318,460")).toBeTruthy();
    expect(await row("Chaya Lindenfeld")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows four cards and of each family how it stands", async () => {
    office();
    open("/admin/users");
    expect(await screen.findByText("$318,460")).toBeTruthy();
    for (const [label, value] of [
      ["Total Users", "132"],
      ["Paid in Full", "61"],
      ["Overdue", "19"],
    ]) {
      const term = screen.getAllByText(label!).find(({ tagName }) => tagName === "DT")!;
      expect(term.nextElementSibling?.textContent).toBe(value);
    }
    const chaya = await row("Chaya Lindenfeld");
    expect(chaya.getByText("chaya@family.example")).toBeTruthy();
    expect(chaya.getAllByText("Payment Due").length).toBeGreaterThan(0);
    expect(chaya.getByText("$1,680")).toBeTruthy();
    expect(chaya.getByText("of $2,800")).toBeTruthy();
    expect(chaya.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("60");
    const other = await row("Leah Morgenshtern");
    expect(other.getByText("No Email")).toBeTruthy();
    expect(other.getByText("N/A")).toBeTruthy();
    expect(other.getAllByText("No Plan").length).toBeGreaterThan(0);
  });

  it("is filtered, sorted and searched in the address bar", async () => {
    const camp = office();
    const user = open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(camp.asked("GET", "/api/admin/users")[0]?.query).toEqual({ sort: "joined", direction: "desc", limit: "50" });
    await user.click(screen.getByRole("button", { name: /^Overdue/ }));
    await user.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
    await waitFor(() => expect(address()).toBe("/admin/users?filter=overdue&sort=name"));
    await waitFor(() =>
      expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("ascending"),
    );
    await user.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
    await waitFor(() => expect(address()).toBe("/admin/users?filter=overdue&sort=name&direction=desc"));
  });

  it("is sorted by what has no column and searched, on top of its filter", async () => {
    const camp = office();
    const user = open("/admin/users?filter=overdue&sort=name&direction=desc");
    await row("Chaya Lindenfeld");
    await user.selectOptions(screen.getByLabelText("Sort by"), "email");
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/users").at(-1)?.query).toEqual({
        filter: "overdue",
        sort: "email",
        direction: "asc",
        limit: "50",
      }),
    );
    await user.type(screen.getByRole("searchbox", { name: "Search users" }), "yanky");
    expect(await screen.findByText(/^Found/)).toHaveProperty("textContent", 'Found 2 user(s) matching "yanky"');
  });

  it("loads more, and says how many there are", async () => {
    const camp = office({
      "GET /api/admin/users": (call: { query: Record<string, string> }) =>
        call.query.cursor ? list(leah) : { items: [family()], next: "c2" },
    });
    const user = open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(await screen.findByText("1 to 1 of 132")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Load more users" }));
    expect(await row("Leah Morgenshtern")).toBeTruthy();
    expect(camp.asked("GET", "/api/admin/users").at(-1)?.query.cursor).toBe("c2");
  });

  it("does not take a failure for an empty list", async () => {
    const camp = office({ "GET /api/admin/users": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/users");
    expect(await screen.findByText("Failed to load users")).toBeTruthy();
    camp.answer("GET /api/admin/users", list(family()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await row("Chaya Lindenfeld")).toBeTruthy();
  });

  it("says when a search or a filter finds nobody", async () => {
    office({ "GET /api/admin/users": list() });
    const user = open("/admin/users?q=zzz&filter=overdue");
    await user.click(await screen.findByRole("button", { name: "Clear Search" }));
    await user.click(await screen.findByRole("button", { name: "Show all users" }));
    expect(await screen.findByText("No users yet")).toBeTruthy();
  });

  it("offers the export to owners only", async () => {
    office({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/users");
    await row("Chaya Lindenfeld");
    expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  });
});

describe("the switches for mail", () => {
  it("turn at once and are saved", async () => {
    const camp = office({ "PATCH /api/admin/users/f1": { ...patched, camp_updates_email: true } });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", { name: "Updates mail to Chaya Lindenfeld" });
    await user.click(toggle);
    expect(toggle).toHaveProperty("checked", true);
    expect(await screen.findByText("Email notification preferences updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1")[0]?.body).toEqual({ version: 4, camp_updates_email: true });
  });

  it("try again on the newest version when somebody else was quicker", async () => {
    const camp = office({
      "GET /api/admin/users/f1": detail({ version: 9 }),
      "PATCH /api/admin/users/f1": (call: { body: { version: number } }) =>
        call.body.version === 9 ? { ...patched, daily_video_email: false, version: 10 } : refuse(409, "stale"),
    });
    const user = open("/admin/users");
    await user.click((await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Videos/ }));
    expect(await screen.findByText("Settings Updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1").map(({ body }) => body.version)).toEqual([4, 9]);
  });

  it("cannot switch on what the family stopped, and say so", async () => {
    const stopped = { daily_video_email: false, stopped: ["daily_videos" as const] };
    office({
      "GET /api/admin/users": list(family(stopped)),
      "GET /api/admin/users/f1": detail({
        ...stopped,
        emails: [{ email: "chaya@family.example", kind: "primary", verified: true, stopped: ["daily_videos"] }],
      }),
    });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", {
      name: "Videos mail to Chaya Lindenfeld, stopped by the family",
    });
    expect(toggle).toHaveProperty("disabled", true);
    expect(toggle).toHaveProperty("checked", false);
    expect((await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Updates/ })).toHaveProperty("disabled", false);
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: /details/ }));
    expect(await screen.findByText(/Stopped videos; only its owner can begin them again/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Edit" }));
    expect(await screen.findByLabelText("Video Release")).toHaveProperty("disabled", true);
    expect(screen.getByText(/The family stopped these emails itself/)).toBeTruthy();
  });

  it("turn back when it fails", async () => {
    office({ "PATCH /api/admin/users/f1": refuse(500, "internal") });
    const user = open("/admin/users");
    const toggle = (await row("Chaya Lindenfeld")).getByRole("switch", { name: /^Videos/ });
    await user.click(toggle);
    expect(await screen.findByText("Failed to update notification settings")).toBeTruthy();
    expect(toggle).toHaveProperty("checked", true);
  });
});

describe("a new user", () => {
  it("needs all fields, and an address that nobody has", async () => {
    const camp = office({
      "POST /api/admin/users": refuse(409, "taken", "A user with this email already exists", [
        { field: "email", message: "A user with this email already exists" },
      ]),
    });
    const user = open("/admin/users?action=add");
    await user.click(await screen.findByRole("button", { name: "Add user and send invitation" }));
    expect(screen.getAllByText("All fields are required")).toHaveLength(3);
    await user.type(screen.getByLabelText("Parent Name"), " Esty Brachfeld ");
    await user.type(screen.getByLabelText("Email Address"), "esty@family.example");
    await user.type(screen.getByLabelText("Child Name"), "Duvi");
    await user.click(screen.getByRole("button", { name: "Add user and send invitation" }));
    expect((await screen.findAllByText("A user with this email already exists")).length).toBeGreaterThan(0);
    expect(screen.getByLabelText("Parent Name")).toHaveProperty("value", " Esty Brachfeld ");
    camp.answer(
      "POST /api/admin/users",
      family({ id: "f9", full_name: "Esty Brachfeld", email: "esty@family.example" }),
    );
    await user.click(screen.getByRole("button", { name: "Add user and send invitation" }));
    expect(await screen.findByText("User Added Successfully")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users").at(-1)?.body).toEqual({
      full_name: "Esty Brachfeld",
      email: "esty@family.example",
      child_name: "Duvi",
    });
    await waitFor(() => expect(address()).toBe("/admin/users"));
  });
});

describe("editing", () => {
  const edit = async (user: ReturnType<typeof open>) => {
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: "Edit Chaya Lindenfeld" }));
    return within(screen.getByRole("dialog", { name: "Edit Chaya Lindenfeld" }));
  };

  it("asks why the paid amount changes", async () => {
    const camp = office({ "PATCH /api/admin/users/f1": patched });
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.clear(dialog.getByLabelText("Paid Amount"));
    await user.type(dialog.getByLabelText("Paid Amount"), "1700");
    expect(dialog.getByText(/An adjustment of \+\$20 is recorded/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(dialog.getByText("Please say in a note why the paid amount changes.")).toBeTruthy();
    await user.type(dialog.getByRole("textbox", { name: "The family sees this" }), "Cash at the gate");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("User profile and payment information updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1")[0]?.body).toEqual({
      version: 4,
      paid_amount: 170_000,
      adjustment_note: "Cash at the gate",
    });
  });

  it("does not overwrite what somebody else saved, and keeps what was typed", async () => {
    const camp = office({
      "PATCH /api/admin/users/f1": refuse(409, "stale"),
      "GET /api/admin/users/f1": detail({ child_name: "Yanky", version: 7 }),
    });
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.type(dialog.getByLabelText("Full Name"), "!");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    await user.click(await dialog.findByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(dialog.getByLabelText("Child Name")).toHaveProperty("value", "Yanky"));
    expect(dialog.getByLabelText("Full Name")).toHaveProperty("value", "Chaya Lindenfeld!");
    camp.answer("PATCH /api/admin/users/f1", patched);
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("User Updated")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1").at(-1)?.body).toEqual({
      version: 7,
      full_name: "Chaya Lindenfeld!",
    });
  });

  it("asks before throwing away what was typed", async () => {
    office();
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.type(dialog.getByLabelText("Full Name"), "x");
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(screen.getByRole("dialog", { name: "Discard your changes?" })).toBeTruthy();
  });

  it("sets up a plan with the usual total", async () => {
    const camp = office({ "PATCH /api/admin/users/f2": { ...leah, payments: [], emails: [] } });
    const user = open("/admin/users");
    await user.click((await row("Leah Morgenshtern")).getByRole("button", { name: /^Set up a plan/ }));
    expect(screen.getByLabelText("Total Amount")).toHaveProperty("value", "3,100.00");
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    await waitFor(() =>
      expect(camp.asked("PATCH", "/api/admin/users/f2")[0]?.body).toEqual({ version: 1, total_amount: 310_000 }),
    );
  });
});

describe("a payment", () => {
  const answer = { payment: payment({ id: "p2", amount: 50_000 }), plan: plan({ remaining_amount: 62_000 }) };
  const record = async (user: ReturnType<typeof open>) => {
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: "Add payment for Chaya Lindenfeld" }));
    return within(screen.getByRole("dialog", { name: "Record Payment" }));
  };

  it("is recorded for today, in cents, and says what remains", async () => {
    const camp = office({ "POST /api/admin/users/f1/payments": answer });
    const user = open("/admin/users");
    const dialog = await record(user);
    expect(dialog.getByLabelText("Payment Date")).toHaveProperty("value", "2026-07-29");
    await user.type(dialog.getByLabelText("Payment Amount"), "500");
    expect(dialog.getByText("$620")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Record payment of $500" }));
    expect(await screen.findByText("Payment of $500 recorded successfully. Remaining balance: $620")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/f1/payments")[0]?.body).toEqual({
      kind: "payment",
      amount: 50_000,
      payment_date: "2026-07-29",
      notes: null,
      staff_notes: null,
      as_credit: false,
    });
  });

  it("has a note for the family and one for staff, and says that a mail goes out", async () => {
    const camp = office({ "POST /api/admin/users/f1/payments": answer });
    const user = open("/admin/users");
    const dialog = await record(user);
    expect(dialog.getByText("The family gets a receipt by mail.")).toBeTruthy();
    await user.type(dialog.getByLabelText("Payment Amount"), "500");
    await user.type(dialog.getByRole("textbox", { name: "The family sees this" }), "Check 114");
    await user.type(dialog.getByRole("textbox", { name: "Only staff see this" }), "Be kind");
    await user.click(dialog.getByRole("button", { name: /^Record payment/ }));
    await waitFor(() =>
      expect(camp.asked("POST", "/api/admin/users/f1/payments")[0]?.body).toMatchObject({
        notes: "Check 114",
        staff_notes: "Be kind",
      }),
    );
  });

  it("keeps its key and all that was typed when the network is down, so that a second try counts once", async () => {
    const camp = office({ "POST /api/admin/users/f1/payments": unreachable });
    const user = open("/admin/users");
    const dialog = await record(user);
    await user.type(dialog.getByLabelText("Payment Amount"), "500");
    await user.click(dialog.getByRole("button", { name: /^Record payment/ }));
    expect(await screen.findByText(/^Failed to record payment: /)).toBeTruthy();
    expect(dialog.getByLabelText("Payment Amount")).toHaveProperty("value", "500.00");
    camp.answer("POST /api/admin/users/f1/payments", answer);
    await user.click(dialog.getByRole("button", { name: /^Record payment/ }));
    expect(await screen.findByText(/Remaining balance: \$620/)).toBeTruthy();
    const keys = camp
      .asked("POST", "/api/admin/users/f1/payments")
      .map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("of more than what remains is refused beside its field, unless it is a credit", async () => {
    const sentence =
      "This is more than the remaining balance of $1,120. Tick “Record as credit” to record it all the same.";
    const camp = office({
      "POST /api/admin/users/f1/payments": refuse(422, "validation", sentence, [
        { field: "amount", message: sentence },
      ]),
    });
    const user = open("/admin/users");
    const dialog = await record(user);
    await user.type(dialog.getByLabelText("Payment Amount"), "2000");
    await user.click(dialog.getByRole("button", { name: /^Record payment/ }));
    expect(await dialog.findByText(sentence)).toBeTruthy();
    camp.answer("POST /api/admin/users/f1/payments", answer);
    await user.click(dialog.getByLabelText("Record as credit"));
    await user.click(dialog.getByRole("button", { name: /^Record payment/ }));
    await waitFor(() => expect(camp.asked("POST", "/api/admin/users/f1/payments").at(-1)?.body.as_credit).toBe(true));
  });

  it("needs a plan", async () => {
    office();
    const user = open("/admin/users");
    await user.click((await row("Leah Morgenshtern")).getByRole("button", { name: /^Add payment/ }));
    expect(screen.getByText("Payment plan not found")).toBeTruthy();
  });
});

describe("the drawer of a family", () => {
  it("shows the ledger, and voids a row with a reason", async () => {
    const camp = office({
      "POST /api/admin/payments/p1/void": {
        payment: payment({ id: "p2", kind: "void", amount: -168_000 }),
        plan: plan({ remaining_amount: 280_000 }),
      },
    });
    const user = open("/admin/users");
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: /details$/ }));
    await waitFor(() => expect(address()).toBe("/admin/users?user=f1"));
    const drawer = within(await screen.findByRole("dialog", { name: "Chaya Lindenfeld" }));
    expect(await drawer.findByText("+$1,680")).toBeTruthy();
    expect(drawer.getByRole("link", { name: /^Receipt/ }).getAttribute("href")).toBe("/admin/users/f1/receipt/p1");
    expect(drawer.getByRole("link", { name: "Statement" }).getAttribute("href")).toBe("/admin/users/f1/statement");
    await user.click(drawer.getByRole("button", { name: /^Void payment/ }));
    await user.click(screen.getByRole("button", { name: "Void payment" }));
    expect(screen.getByText("Please give a reason.")).toBeTruthy();
    expect(screen.getByText(/^The family gets a corrected receipt by mail/)).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "Only staff see this" }), "Bounced");
    await user.click(screen.getByRole("button", { name: "Void payment" }));
    expect(await screen.findByText("Payment of $1,680 voided. Remaining balance: $2,800")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/payments/p1/void")[0]?.body).toEqual({
      reason: null,
      staff_notes: "Bounced",
    });
  });

  it("invites, and approves and refuses who waits", async () => {
    const waiting = detail({ approved_at: null, invited: false });
    const camp = office({
      "GET /api/admin/users/f1": waiting,
      "GET /api/admin/users": list(leah),
      "POST /api/admin/users/f1/invite": null,
      "POST /api/admin/users/f1/approve": { ...family(), told: "by_mail" },
      "POST /api/admin/users/f1/refuse": { ...family(), told: "no_address" },
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Invite" }));
    expect(await screen.findByText("Invitation sent")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Approve Chaya Lindenfeld" }));
    expect(await screen.findByText("Chaya Lindenfeld is told by mail.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Refuse Chaya Lindenfeld" }));
    await user.click(screen.getByRole("button", { name: "Refuse" }));
    expect(
      await screen.findByText("Chaya Lindenfeld has not confirmed an address yet, so nobody was mailed."),
    ).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/f1/refuse").map(({ query }) => query)).toEqual([{ seen: "waiting" }]);
  });

  it("says who decided meanwhile, and shows it", async () => {
    const waiting = detail({ approved_at: null });
    const camp = office({
      "GET /api/admin/users/f1": waiting,
      "POST /api/admin/users/f1/refuse": refuse(409, "approved", "miriam approved this registration in the meantime."),
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Refuse Chaya Lindenfeld" }));
    camp.answer("GET /api/admin/users/f1", detail());
    await user.click(screen.getByRole("button", { name: "Refuse" }));
    expect(
      await screen.findByText("Chaya Lindenfeld: miriam approved this registration in the meantime."),
    ).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("button", { name: "Approve Chaya Lindenfeld" })).toBeNull());
  });

  it("carries what was decided when somebody changes their mind", async () => {
    const refused = detail({ approved_at: null, refused_at: "2026-07-02T12:00:00Z" });
    const camp = office({
      "GET /api/admin/users/f1": refused,
      "POST /api/admin/users/f1/approve": { ...family(), told: "before" },
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Approve Chaya Lindenfeld" }));
    expect(await screen.findByText("Chaya Lindenfeld was approved before, and is not mailed again.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/f1/approve").map(({ query }) => query)).toEqual([{ seen: "refused" }]);
  });

  it("merges two after a preview", async () => {
    const merged = {
      full_name: "Chaya Lindenfeld",
      child_name: "Yanky",
      plan: plan({ total_amount: 560_000 }),
      logins: 1,
      payments: 2,
      comments: 0,
      emails: ["chaya@family.example", "leah@family.example"],
      mail: [
        {
          email: "chaya@family.example",
          before: { daily_videos: true, camp_updates: false, general: true },
          after: { daily_videos: true, camp_updates: false, general: true },
        },
        {
          email: "leah@family.example",
          before: { daily_videos: true, camp_updates: true, general: false },
          after: { daily_videos: true, camp_updates: false, general: false },
        },
        {
          email: "office@family.example",
          before: { daily_videos: true, camp_updates: false, general: false },
          after: { daily_videos: false, camp_updates: false, general: false },
        },
      ],
    };
    const camp = office({ "POST /api/admin/users/merge": merged });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Merge with another user" }));
    const dialog = within(screen.getByRole("dialog", { name: "Merge two users" }));
    await user.click(await dialog.findByRole("button", { name: /Leah Morgenshtern/ }));
    expect(await dialog.findByText("$1,680 of $5,600")).toBeTruthy();
    expect(dialog.getByText("1 login, 2 ledger rows, 0 comments")).toBeTruthy();
    const said = (email: string) => dialog.getByText(email, { selector: "bdi.block" }).nextSibling?.textContent;
    expect(said("chaya@family.example")).toBe("Gets videos and letters");
    expect(said("leah@family.example")).toBe("Gets videos, no more updates");
    expect(said("office@family.example")).toBe("Gets no more videos");
    expect(dialog.getByText(/has switched off goes to nobody/).textContent).toContain("What Chaya Lindenfeld has");
    await user.click(dialog.getByRole("button", { name: "Merge the two" }));
    expect(await screen.findByText("Users merged")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/merge").map(({ body }) => body)).toEqual([
      { keep: "f1", drop: "f2", total: null, preview: true },
      { keep: "f1", drop: "f2", total: null, preview: false },
    ]);
  });

  it("asks which total stays when both have a plan, and chooses nothing by itself", async () => {
    const totals = { keep: 280_000, drop: 140_000 };
    const merged = {
      full_name: "Chaya Lindenfeld",
      child_name: "Yanky",
      plan: null,
      totals,
      logins: 0,
      payments: 2,
      comments: 0,
      emails: [],
      mail: [],
    };
    const camp = office({
      "POST /api/admin/users/merge": ({ body }: { body: { total: string | null } }) => ({
        ...merged,
        plan: body.total ? plan({ total_amount: 420_000 }) : null,
      }),
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Merge with another user" }));
    const dialog = within(screen.getByRole("dialog", { name: "Merge two users" }));
    await user.click(await dialog.findByRole("button", { name: /Leah Morgenshtern/ }));
    const choices = within(await dialog.findByRole("group", { name: "Which total stays?" }));
    expect(choices.getAllByRole<HTMLInputElement>("radio").filter(({ checked }) => checked)).toEqual([]);
    await user.click(dialog.getByRole("button", { name: "Merge the two" }));
    expect(dialog.getByRole("alert").textContent).toContain("choose which total stays");
    await user.click(choices.getByRole("radio", { name: /Leah Morgenshtern \$1,400/ }));
    expect(dialog.queryByRole("alert")).toBeNull();
    // The choice is a family's, whichever of the two is kept.
    await user.click(dialog.getByRole("button", { name: "Keep the other one instead" }));
    await user.click(await dialog.findByRole("radio", { name: /Both together \$4,200/ }));
    expect(await dialog.findByText("$1,680 of $4,200")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Merge the two" }));
    expect(await screen.findByText("Users merged")).toBeTruthy();
    const asked = camp
      .asked("POST", "/api/admin/users/merge")
      .map(({ body }) => `${body.keep} ${body.total} ${body.preview}`);
    expect(asked).toEqual(["f1 null true", "f1 drop true", "f2 keep true", "f2 sum true", "f2 sum false"]);
  });
});

it("deletes after the question of the portal", async () => {
  const camp = office({ "DELETE /api/admin/users/f1": null });
  const user = open("/admin/users");
  await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: "Delete Chaya Lindenfeld" }));
  expect(
    screen.getByText("Are you sure you want to delete Chaya Lindenfeld? This action cannot be undone."),
  ).toBeTruthy();
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete user" }));
  expect(await screen.findByText("User Deleted")).toBeTruthy();
  expect(screen.getByText("Chaya Lindenfeld has been removed from the system")).toBeTruthy();
  expect(camp.asked("DELETE", "/api/admin/users/f1")).toHaveLength(1);
});

describe("on paper", () => {
  const statement = {
    family: family(),
    plan: plan(),
    payments: [payment()],
    site_name: "Camp Pine Lake",
    contact_email: "office@camp.example",
    contact_phone: "(845) 555-0142",
    currency: "USD",
    date: "2026-07-29",
  };

  it("a statement of somebody who is gone leads back to the list, not to another try", async () => {
    office({ "GET /api/admin/users/f1/statement": refuse(404, "not_found", "There is no such user.") });
    open("/admin/users/f1/statement");
    expect(await screen.findByText("There is no such user")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
    expect(screen.getByRole("link", { name: "Back to all users" }).getAttribute("href")).toBe("/admin/users");
  });

  it("a statement tells every row and what remains", async () => {
    office({ "GET /api/admin/users/f1/statement": statement });
    open("/admin/users/f1/statement");
    expect(await screen.findByRole("heading", { name: "Statement" })).toBeTruthy();
    expect(screen.getByText("+$1,680")).toBeTruthy();
    expect(screen.getAllByText("$1,120").length).toBe(2);
    expect(screen.queryByRole("navigation")).toBeNull();
  });

  it("a receipt of a voided payment says so", async () => {
    office({ "GET /api/admin/users/f1/statement": { ...statement, payments: [payment({ voided: true })] } });
    open("/admin/users/f1/receipt/p1");
    expect(await screen.findByText("This payment was voided. This receipt is not valid.")).toBeTruthy();
  });
});
