import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import type { Account } from "./queries";

const account = (change: Partial<Account> = {}): Account => ({
  id: "s1",
  username: "kornbluh",
  email: "kornbluh@camp.example",
  role: "owner",
  disabled: false,
  two_factor: false,
  last_sign_in_at: "2026-07-29T12:00:00Z",
  created_at: "2026-01-01T00:00:00Z",
  version: 1,
  ...change,
});
const brikwald = account({
  id: "s2",
  username: "brikwald",
  email: "brikwald@camp.example",
  role: "staff",
  last_sign_in_at: null,
});

const office = (answers: Record<string, unknown> = {}) =>
  server({ ...onDuty, "GET /api/admin/accounts": list(account(), brikwald), ...answers });
const visit = () => open("/admin/admin-management");
const row = async (name: string) => within((await screen.findByText(name, { selector: "td *" })).closest("tr")!);

describe("the admin accounts", () => {
  it("are listed without passwords", async () => {
    office();
    visit();
    expect((await row("kornbluh")).getByText("You")).toBeTruthy();
    expect((await row("brikwald")).getByText("never")).toBeTruthy();
    expect(document.querySelector("input[type=password]")).toBeNull();
  });

  it("load in pages", async () => {
    const camp = office({
      "GET /api/admin/accounts": ({ query }: { query: Record<string, string> }) =>
        query.cursor === "more" ? list(brikwald) : { items: [account()], next: "more" },
    });
    const user = visit();
    expect((await row("kornbluh")).getByRole("button", { name: "Delete kornbluh" })).toHaveProperty("disabled", false);
    await user.click(screen.getByRole("button", { name: "Load more accounts" }));
    expect(await row("brikwald")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Load more accounts" })).toBeNull();
    expect(camp.asked("GET", "/api/admin/accounts")).toHaveLength(2);
  });

  it("are added, with all fields", async () => {
    const camp = office({ "POST /api/admin/accounts": brikwald });
    const user = visit();
    await row("kornbluh");
    await user.click(screen.getByRole("button", { name: "Add Admin Account" }));
    const form = within(screen.getByRole("form", { name: "Add an account" }));
    await user.click(form.getByRole("button", { name: "Add account" }));
    expect(form.getAllByText("All fields are required")).toHaveLength(3);
    expect(document.activeElement).toBe(form.getByLabelText("Username"));
    await user.type(form.getByLabelText("Username"), " brikwald ");
    await user.type(form.getByLabelText("Email"), "brikwald@camp.example");
    await user.type(form.getByLabelText("Password"), "pine lake lantern");
    await user.type(form.getByLabelText("Your current password"), "my own lantern");
    await user.click(form.getByRole("button", { name: "Add account" }));
    expect(await screen.findByText("Admin account created successfully")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/accounts")[0]?.body).toEqual({
      username: "brikwald",
      email: "brikwald@camp.example",
      password: "pine lake lantern",
      role: "staff",
      current_password: "my own lantern",
    });
  });

  it.each([
    ["username", "Username already exists"],
    ["email", "Email already exists"],
  ])("keep a taken %s in the form, and say so", async (field, sentence) => {
    office({ "PATCH /api/admin/accounts/s2": refuse(409, "taken", sentence, [{ field, message: sentence }]) });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
    const form = within(screen.getByRole("form", { name: "Edit brikwald" }));
    await user.clear(form.getByLabelText("Username"));
    await user.type(form.getByLabelText("Username"), "kornbluh");
    await user.type(form.getByLabelText("Your current password"), "my own lantern");
    await user.click(form.getByRole("button", { name: "Save account" }));
    expect(await form.findByText(sentence)).toBeTruthy();
    expect(form.getByLabelText("Username")).toHaveProperty("value", "kornbluh");
  });

  it("send only the changes, and become a row again", async () => {
    const camp = office({ "PATCH /api/admin/accounts/s2": brikwald });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
    expect(screen.queryByLabelText("Your current password")).toBeNull();
    await user.selectOptions(screen.getByLabelText("Role"), "owner");
    await user.type(screen.getByLabelText("Your current password"), "my own lantern");
    await user.click(screen.getByRole("button", { name: "Save account" }));
    expect(await screen.findByText("Admin account updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/accounts/s2")[0]?.body).toEqual({
      version: 1,
      role: "owner",
      current_password: "my own lantern",
    });
    expect(document.activeElement).toBe((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
  });

  it("ask for the password before one's own credentials change", async () => {
    const camp = office({ "PATCH /api/admin/accounts/s1": account() });
    const user = visit();
    await user.click((await row("kornbluh")).getByRole("button", { name: "Edit kornbluh" }));
    const form = within(screen.getByRole("form", { name: "Edit kornbluh" }));
    expect(form.queryByLabelText("Your current password")).toBeNull();
    await user.clear(form.getByLabelText("Email"));
    await user.type(form.getByLabelText("Email"), "k@camp.example");
    await user.click(form.getByRole("button", { name: "Save account" }));
    expect(await form.findByText("Please enter your current password.")).toBeTruthy();
    await user.type(form.getByLabelText("Your current password"), "pine lake lantern");
    await user.click(form.getByRole("button", { name: "Save account" }));
    expect(await screen.findByText("Admin account updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/accounts/s1")[0]?.body).toEqual({
      version: 1,
      email: "k@camp.example",
      current_password: "pine lake lantern",
    });
  });

  it("return the focus to their row, and Escape closes the form, asking first if something was typed", async () => {
    office();
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("form", { name: "Edit brikwald" })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit brikwald" }));
    await user.keyboard("{Enter}");
    await user.type(screen.getByLabelText("Username"), "y");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await user.click(screen.getByRole("button", { name: "Discard changes" }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit brikwald" })));
  });

  it("lose no typed text when the same button is pressed again or another row is edited", async () => {
    office();
    const user = visit();
    const add = await screen.findByRole("button", { name: "Add Admin Account" });
    await user.click(add);
    await user.type(within(screen.getByRole("form", { name: "Add an account" })).getByLabelText("Username"), "mottel");
    await user.click(add);
    await user.click(
      within(await screen.findByRole("dialog", { name: "Leave without saving?" })).getByRole("button", {
        name: "Cancel",
      }),
    );
    const adding = within(screen.getByRole("form", { name: "Add an account" }));
    expect(adding.getByLabelText("Username")).toHaveProperty("value", "mottel");

    await user.click((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
    const first = within(screen.getByRole("form", { name: "Edit brikwald" }));
    await user.type(first.getByLabelText("Username"), "y");
    await user.click((await row("kornbluh")).getByRole("button", { name: "Edit kornbluh" }));
    expect(screen.getByRole("form", { name: "Edit kornbluh" })).toBeTruthy();
    expect(first.getByLabelText("Username")).toHaveProperty("value", "brikwaldy");
  });

  it("that somebody else has changed are not overwritten, and typed text stays", async () => {
    const camp = office({ "PATCH /api/admin/accounts/s2": refuse(409, "stale", "Someone else changed this.") });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Edit brikwald" }));
    const form = within(screen.getByRole("form", { name: "Edit brikwald" }));
    await user.clear(form.getByLabelText("Username"));
    await user.type(form.getByLabelText("Username"), "mottel");
    await user.type(form.getByLabelText("Your current password"), "my own lantern");
    await user.click(form.getByRole("button", { name: "Save account" }));
    expect(await form.findByText(/Someone else changed this account while you were editing/)).toBeTruthy();
    camp.answer("GET /api/admin/accounts/s2", { ...brikwald, role: "owner", version: 2 });
    camp.answer("PATCH /api/admin/accounts/s2", brikwald);
    await user.click(form.getByRole("button", { name: "Reload and keep what I typed" }));
    expect(await form.findByText(/This is the newest version/)).toBeTruthy();
    expect(form.getByLabelText("Username")).toHaveProperty("value", "mottel");
    expect(form.getByLabelText("Role")).toHaveProperty("value", "owner");
    await user.click(form.getByRole("button", { name: "Save account" }));
    await waitFor(() =>
      expect(camp.asked("PATCH", "/api/admin/accounts/s2").map(({ body }) => body)).toEqual(
        [1, 2].map((version) => ({ version, username: "mottel", current_password: "my own lantern" })),
      ),
    );
  });

  it("cannot all be deleted", async () => {
    const another = account({ id: "s3", username: "weber" });
    office({
      "GET /api/admin/accounts": list(account(), another),
      "DELETE /api/admin/accounts/s1": refuse(409, "conflict", "Cannot delete the last admin account"),
    });
    const user = visit();
    await user.click((await row("kornbluh")).getByRole("button", { name: "Delete kornbluh" }));
    await user.type(screen.getByLabelText("Your current password"), "my own lantern");
    await user.click(screen.getByRole("button", { name: "Delete account" }));
    expect((await screen.findAllByText("Cannot delete the last admin account")).length).toBeGreaterThan(0);
  });

  it("say at once that the last active owner cannot be deleted", async () => {
    const disabled = account({ id: "s3", username: "weber", disabled: true });
    office({ "GET /api/admin/accounts": list(account(), brikwald, disabled) });
    const user = visit();
    await user.click((await row("kornbluh")).getByRole("button", { name: "Delete kornbluh" }));
    const dialog = within(screen.getByRole("dialog", { name: "Cannot delete the last admin account" }));
    expect(dialog.getByText(/is the only active owner/)).toBeTruthy();
    expect(dialog.queryByLabelText("Your current password")).toBeNull();
    await user.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    await user.click((await row("brikwald")).getByRole("button", { name: "Delete brikwald" }));
    expect(screen.getByRole("button", { name: "Delete account" })).toBeTruthy();
  });

  it("say at once that the only account can be neither deleted nor disabled", async () => {
    const camp = office({ "GET /api/admin/accounts": list(account()) });
    const user = visit();
    const remove = (await row("kornbluh")).getByRole("button", { name: "Delete kornbluh" });
    expect(remove).toHaveProperty("disabled", true);
    expect(remove).toHaveProperty("title", "Cannot delete the last admin account");
    await user.click((await row("kornbluh")).getByRole("button", { name: "Disable kornbluh" }));
    const dialog = within(screen.getByRole("dialog", { name: "Cannot disable the last admin account" }));
    expect(dialog.getByText(/is the only active owner/)).toBeTruthy();
    expect(dialog.queryByLabelText("Your current password")).toBeNull();
    await user.click(dialog.getAllByRole("button", { name: "Close" })[0]!);
    expect(camp.calls.every(({ method }) => method === "GET")).toBe(true);
  });

  it.each([
    [
      "deleted",
      "Delete brikwald",
      "Delete account",
      "DELETE /api/admin/accounts/s2",
      {},
      "Admin account deleted successfully",
    ],
    [
      "disabled",
      "Disable brikwald",
      "Disable account",
      "PATCH /api/admin/accounts/s2",
      { version: 1, disabled: true },
      "Admin account updated successfully",
    ],
    [
      "mailed a link",
      "Email brikwald a link to choose a new password",
      "Send the link",
      "POST /api/admin/accounts/s2/reset",
      {},
      "Link sent",
    ],
  ])(
    "are %s with one's own password, and a wrong one is told beside its field and kept",
    async (_, button, action, call, body, done) => {
      const [method, path] = call.split(" ") as [string, string];
      const camp = office({
        [call]: refuse(422, "validation", "No.", [
          { field: "current_password", message: "This is not your current password." },
        ]),
      });
      const user = visit();
      await user.click((await row("brikwald")).getByRole("button", { name: button }));
      const dialog = within(screen.getByRole("dialog"));
      await user.click(dialog.getByRole("button", { name: action }));
      expect(dialog.getByText("Please enter your current password.")).toBeTruthy();
      expect(camp.asked(method, path)).toHaveLength(0);
      const field = dialog.getByLabelText("Your current password");
      expect(document.activeElement).toBe(field);
      await user.type(field, "wrong");
      await user.click(dialog.getByRole("button", { name: action }));
      expect(await dialog.findByText("This is not your current password.")).toBeTruthy();
      expect(field).toHaveProperty("value", "wrong");
      expect(field.getAttribute("aria-invalid")).toBe("true");
      camp.answer(call, method === "PATCH" ? { ...brikwald, disabled: true } : null);
      await user.clear(field);
      await user.type(field, "my own lantern{Enter}");
      expect(await screen.findByText(done)).toBeTruthy();
      await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
      expect(camp.asked(method, path)[1]?.body).toEqual({ ...body, current_password: "my own lantern" });
    },
  );

  it("are enabled with the owner's own password", async () => {
    const camp = office({
      "GET /api/admin/accounts": list(account(), { ...brikwald, disabled: true }),
      "PATCH /api/admin/accounts/s2": brikwald,
    });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Enable brikwald" }));
    const dialog = within(screen.getByRole("dialog", { name: "Enable this admin account?" }));
    await user.type(dialog.getByLabelText("Your current password"), "my own lantern");
    camp.answer("GET /api/admin/accounts", list(account(), brikwald));
    await user.click(dialog.getByRole("button", { name: "Enable account" }));
    expect(await screen.findByRole("button", { name: "Disable brikwald" })).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/accounts/s2")[0]?.body).toEqual({
      version: 1,
      disabled: false,
      current_password: "my own lantern",
    });
  });

  it("are for owners only", async () => {
    const camp = office({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    visit();
    expect(await screen.findByText("Only owners can see this page")).toBeTruthy();
    expect(screen.queryByRole("link", { name: /Admin accounts/ })).toBeNull();
    expect(camp.asked("GET", "/api/admin/accounts")).toHaveLength(0);
  });
});

const computer = {
  id: "n1",
  device: "computer",
  created_at: "2026-07-29T12:00:00Z",
  last_seen_at: "2026-07-29T12:10:00Z",
  current: true,
};
const phone = { ...computer, id: "n2", device: "phone", current: false };

const ownAccount = () => open("/admin/account");

describe("the sessions", () => {
  it("of a colleague are ended by an owner with the owner's own password", async () => {
    const camp = office({
      "GET /api/admin/accounts/s2/sessions": list({ ...phone }),
      "DELETE /api/admin/accounts/s2/sessions/n2": refuse(422, "validation", "No.", [
        { field: "current_password", message: "This is not your current password." },
      ]),
    });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Sessions of brikwald" }));
    const dialog = within(screen.getByRole("dialog", { name: "Sessions of brikwald" }));
    await user.click(await dialog.findByRole("button", { name: /^Sign Out Phone/ }));
    const question = within(screen.getByRole("dialog", { name: "End this session?" }));
    await user.click(question.getByRole("button", { name: "Sign Out" }));
    expect(question.getByText("Please enter your current password.")).toBeTruthy();
    await user.type(question.getByLabelText("Your current password"), "my own lantern{Enter}");
    expect(await question.findByText("This is not your current password.")).toBeTruthy();
    camp.answer("DELETE /api/admin/accounts/s2/sessions/n2", null);
    camp.answer("GET /api/admin/accounts/s2/sessions", list());
    await user.click(question.getByRole("button", { name: "Sign Out" }));
    expect(await dialog.findByText("Not signed in anywhere")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/accounts/s2/sessions/n2")[1]?.body).toEqual({
      current_password: "my own lantern",
    });
  });

  it("of a colleague come with a button that clears failed sign-ins", async () => {
    const camp = office({
      "GET /api/admin/accounts/s2/sessions": list(),
      "POST /api/admin/accounts/s2/clear-limits": { cleared: 1 },
    });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Sessions of brikwald" }));
    const dialog = within(screen.getByRole("dialog", { name: "Sessions of brikwald" }));
    await user.click(await dialog.findByRole("button", { name: "Clear failed sign-ins" }));
    expect(await screen.findByText("They can try to sign in again right away.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/accounts/s2/clear-limits")).toHaveLength(1);
  });

  it("of a colleague all end at once, also with the owner's own password", async () => {
    const camp = office({
      "GET /api/admin/accounts/s2/sessions": list({ ...phone }, { ...phone, id: "n3", device: "tablet" }),
      "DELETE /api/admin/accounts/s2/sessions": null,
    });
    const user = visit();
    await user.click((await row("brikwald")).getByRole("button", { name: "Sessions of brikwald" }));
    const dialog = within(screen.getByRole("dialog", { name: "Sessions of brikwald" }));
    await user.click(await dialog.findByRole("button", { name: "Sign Out all 2" }));
    const question = within(screen.getByRole("dialog", { name: "End all sessions?" }));
    await user.type(question.getByLabelText("Your current password"), "my own lantern{Enter}");
    expect(await screen.findByText("All sessions have ended.")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/accounts/s2/sessions")[0]?.body).toEqual({
      current_password: "my own lantern",
    });
  });

  it("of the signed-in person are listed, and all others can end at once", async () => {
    const camp = office({
      "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } },
      "GET /api/admin/sessions": list(computer, phone, { ...phone, id: "n3", device: "tablet" }),
      "POST /api/admin/sessions/end-others": null,
    });
    const user = visit();
    await user.click((await screen.findAllByRole("link", { name: "Your account" }))[0]!);
    const sessions = within(await screen.findByRole("region", { name: "Where you are signed in" }));
    expect(await sessions.findByText("This device")).toBeTruthy();
    expect(sessions.getAllByRole("button", { name: /^Sign Out (Phone|Tablet)/ })).toHaveLength(2);
    camp.answer("GET /api/admin/sessions", list(computer));
    await user.click(sessions.getByRole("button", { name: "Sign Out the other 2" }));
    await waitFor(() => expect(sessions.queryByText("Phone")).toBeNull());
    expect(camp.asked("POST", "/api/admin/sessions/end-others")).toHaveLength(1);
  });
});

describe("one's own password", () => {
  it("is changed with the current one, and a wrong one is reported beside its field", async () => {
    const camp = office({
      "POST /api/admin/password": refuse(422, "validation", "No.", [
        { field: "current_password", message: "This is not your current password." },
      ]),
    });
    const user = ownAccount();
    await user.click(await screen.findByRole("button", { name: "Change password" }));
    const dialog = within(screen.getByRole("dialog", { name: "Change your password" }));
    await user.type(dialog.getByLabelText("Current password"), "wrong");
    await user.type(dialog.getByLabelText("New password"), "seven tall cedars");
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await dialog.findByText("This is not your current password.")).toBeTruthy();
    expect(dialog.getByLabelText("New password")).toHaveProperty("value", "seven tall cedars");
    camp.answer("POST /api/admin/password", null);
    await user.click(dialog.getByRole("button", { name: "Change password" }));
    expect(await screen.findByText("Password changed")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/password")[1]?.body).toEqual({
      current_password: "wrong",
      new_password: "seven tall cedars",
    });
  });
});

describe("one's own two-factor", () => {
  it("is turned off with the password", async () => {
    const camp = office({
      "GET /api/admin/session": { staff: { ...kornbluh, two_factor: true } },
      "DELETE /api/admin/two-factor": refuse(422, "validation", "No.", [
        { field: "current_password", message: "This is not your password." },
      ]),
    });
    const user = ownAccount();
    await user.click(await screen.findByRole("button", { name: "Change two-factor" }));
    const dialog = within(screen.getByRole("dialog", { name: "Two-factor is on" }));
    await user.type(dialog.getByLabelText("Password"), "wrong");
    await user.click(dialog.getByRole("button", { name: "Turn off two-factor" }));
    expect(await dialog.findByText("This is not your password.")).toBeTruthy();
    camp.answer("DELETE /api/admin/two-factor", null);
    await user.click(dialog.getByRole("button", { name: "Turn off two-factor" }));
    expect(await screen.findByText("Two-factor turned off")).toBeTruthy();
  });

  it("shows the recovery codes until they are saved", async () => {
    const camp = office({
      "POST /api/admin/two-factor": {
        secret: "ABCDEFGH",
        otpauth_url: "otpauth://totp/x",
        qr_path: "M0 0h1v1z",
        qr_size: 21,
      },
      "POST /api/admin/two-factor/confirm": { recovery_codes: ["aaaa-bbbb"] },
    });
    const user = visit();
    await user.click((await row("kornbluh")).getByRole("link", { name: /^Set up/ }));
    await user.click(await screen.findByRole("button", { name: "Set up two-factor" }));
    const dialog = within(screen.getByRole("dialog", { name: "Set up two-factor" }));
    await user.type(await dialog.findByLabelText("Your password"), "pine lake lantern");
    await user.click(dialog.getByRole("button", { name: "Continue" }));
    await user.type(await dialog.findByLabelText("First code"), "123456");
    camp.answer("GET /api/admin/session", { staff: { ...kornbluh, two_factor: true } });
    await user.click(dialog.getByRole("button", { name: "Turn on two-factor" }));
    expect(await dialog.findByText("aaaa-bbbb")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Close" }));
    expect(dialog.getByText("aaaa-bbbb")).toBeTruthy();
    expect(screen.getByText("Please save your recovery codes first")).toBeTruthy();
  });

  it("gets new recovery codes with the password and a code, and stays on", async () => {
    const path = "POST /api/admin/two-factor/recovery-codes";
    const camp = office({
      "GET /api/admin/session": { staff: { ...kornbluh, two_factor: true } },
      "GET /api/admin/two-factor": { on: true, recovery_codes_left: 2 },
      [path]: refuse(422, "validation", "No.", [{ field: "code", message: "This code is incorrect." }]),
    });
    const user = ownAccount();
    expect(await screen.findByText("2 left")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "New recovery codes" }));
    const form = within(screen.getByRole("dialog", { name: "New recovery codes" }));
    await user.click(form.getByRole("button", { name: "Make new codes" }));
    expect(form.getByText("Please enter your password.")).toBeTruthy();
    expect(form.getByText("Please enter the code from your authenticator app.")).toBeTruthy();
    await user.type(form.getByLabelText("Your password"), "my own lantern");
    await user.type(form.getByLabelText("Code"), "123 456{Enter}");
    expect(await form.findByText("This code is incorrect.")).toBeTruthy();
    expect(form.getByLabelText("Your password")).toHaveProperty("value", "my own lantern");
    camp.answer(path, { recovery_codes: ["aaaa-bbbb", "cccc-dddd"] });
    camp.answer("GET /api/admin/two-factor", { on: true, recovery_codes_left: 10 });
    await user.click(form.getByRole("button", { name: "Make new codes" }));
    const shown = within(await screen.findByRole("dialog", { name: "Your new recovery codes" }));
    expect(shown.getByText("cccc-dddd")).toBeTruthy();
    await user.click(shown.getByRole("button", { name: "Close" }));
    expect(screen.getByText("Please save your recovery codes first")).toBeTruthy();
    await user.click(shown.getByLabelText("I saved my recovery codes"));
    await user.click(shown.getByRole("button", { name: "Continue" }));
    expect(await screen.findByText("The earlier ones no longer work.")).toBeTruthy();
    expect(await screen.findByText("10 left")).toBeTruthy();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(camp.asked("POST", "/api/admin/two-factor/recovery-codes")[1]?.body).toEqual({
      current_password: "my own lantern",
      code: "123456",
    });
  });
});
