import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { detail, family, leah, payment, plan } from "../../test/families";
import { list, open, refuse } from "../../test/portal";
import { office, row, address } from "../../test/users-page";

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
    expect(screen.getByText(/^The family gets a corrected receipt by email/)).toBeTruthy();
    await user.type(screen.getByRole("textbox", { name: "Only staff see this" }), "Bounced");
    await user.click(screen.getByRole("button", { name: "Void payment" }));
    expect(await screen.findByText("Payment of $1,680 voided. Remaining balance: $2,800")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/payments/p1/void")[0]?.body).toEqual({
      reason: null,
      staff_notes: "Bounced",
    });
  });

  it("says when the family was reminded and will be", async () => {
    const times = { last_sent_at: "2026-07-08T14:00:02Z", next_at: "2026-07-15T14:00:00Z" };
    office({ "GET /api/admin/users/f1": detail({ reminders: times }) });
    open("/admin/users?user=f1");
    expect(await screen.findByText(/^Last reminder: July 8, 2026/)).toBeTruthy();
    expect(screen.getByText(/^Next reminder: July 15, 2026/)).toBeTruthy();
  });

  it("says that no reminder is planned", async () => {
    office();
    open("/admin/users?user=f1");
    expect(await screen.findByText("No reminder is planned.")).toBeTruthy();
    expect(screen.queryByText(/^Last reminder/)).toBeNull();
  });

  it("removes a login that does not belong to the family", async () => {
    const login = { email: "stranger@other.example", kind: "login", user_id: "u9", verified: false, stopped: [] };
    const emails = [...detail().emails, login];
    const camp = office({
      "GET /api/admin/users/f1": detail({ emails, logins: 2 }),
      "DELETE /api/admin/users/f1/logins/u9": null,
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Remove the login stranger@other.example" }));
    const dialog = within(screen.getByRole("dialog", { name: "Remove login" }));
    expect(dialog.getByText("stranger@other.example")).toBeTruthy();
    camp.answer("GET /api/admin/users/f1", detail());
    await user.click(dialog.getByRole("button", { name: "Remove login" }));
    expect(await screen.findByText("stranger@other.example sees nothing of this family any more")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Remove the login/ })).toBeNull());
    expect(camp.asked("DELETE", "/api/admin/users/f1/logins/u9")).toHaveLength(1);
  });

  it("invites, and approves and refuses waiting families", async () => {
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
    expect(await screen.findByText("We’ll email Chaya Lindenfeld.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Refuse Chaya Lindenfeld" }));
    await user.click(screen.getByRole("button", { name: "Refuse" }));
    expect(
      await screen.findByText("Chaya Lindenfeld has not confirmed an email yet, so no email was sent."),
    ).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/f1/refuse").map(({ query }) => query)).toEqual([{ seen: "waiting" }]);
  });

  it("says that somebody else decided first, and shows the decision", async () => {
    const waiting = detail({ approved_at: null });
    const camp = office({
      "GET /api/admin/users/f1": waiting,
      "POST /api/admin/users/f1/refuse": refuse(409, "approved", "miriam already approved this registration."),
    });
    const user = open("/admin/users?user=f1");
    await user.click(await screen.findByRole("button", { name: "Refuse Chaya Lindenfeld" }));
    camp.answer("GET /api/admin/users/f1", detail());
    await user.click(screen.getByRole("button", { name: "Refuse" }));
    expect(await screen.findByText("Chaya Lindenfeld: miriam already approved this registration.")).toBeTruthy();
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
    expect(await screen.findByText("Chaya Lindenfeld was already approved, so no email was sent.")).toBeTruthy();
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
      late_note_ends: true,
      daily_email_differs: true,
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
    expect(said("chaya@family.example")).toBe("Gets videos and newsletters");
    expect(said("leah@family.example")).toBe("Gets videos, no more updates");
    expect(said("office@family.example")).toBe("Gets no more videos");
    expect(dialog.getByText("Late videos").nextElementSibling?.textContent).toContain("the merged family gets none");
    expect(dialog.getByText("Daily email").nextElementSibling?.textContent).toContain("the one you keep");
    expect(dialog.getByText(/turned off goes to no one/).textContent).toContain("What Chaya Lindenfeld turned");
    await user.click(dialog.getByRole("button", { name: "Merge the two" }));
    expect(await screen.findByText("Users merged")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/merge").map(({ body }) => body)).toEqual([
      { keep: "f1", drop: "f2", total: null, preview: true },
      { keep: "f1", drop: "f2", total: null, preview: false },
    ]);
  });

  it("asks which total to keep when both have a plan, and preselects nothing", async () => {
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
      late_note_ends: false,
      daily_email_differs: false,
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
    // Each total belongs to a family, whichever of the two is kept.
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

  it("the statement of a deleted family leads back to the list instead of offering a retry", async () => {
    office({ "GET /api/admin/users/f1/statement": refuse(404, "not_found", "User not found.") });
    open("/admin/users/f1/statement");
    expect(await screen.findByText("User not found")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
    expect(screen.getByRole("link", { name: "Back to all users" }).getAttribute("href")).toBe("/admin/users");
  });

  it("a statement shows every entry and the balance", async () => {
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
