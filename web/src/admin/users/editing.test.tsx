import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { detail, family, leah, payment, plan } from "../../test/families";
import { list, open, refuse, unreachable } from "../../test/portal";
import { office, row, patched } from "../../test/users-page";

describe("editing", () => {
  const edit = async (user: ReturnType<typeof open>) => {
    await user.click((await row("Chaya Lindenfeld")).getByRole("button", { name: "Edit Chaya Lindenfeld" }));
    return within(await screen.findByRole("dialog", { name: "Edit Chaya Lindenfeld" }));
  };

  it("asks why the paid amount changes", async () => {
    const camp = office({ "PATCH /api/admin/users/f1": patched });
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.clear(dialog.getByLabelText("Paid Amount"));
    await user.type(dialog.getByLabelText("Paid Amount"), "1700");
    expect(dialog.getByText(/An adjustment of \+\$20 is recorded/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(dialog.getByText("Please add a note that says why the paid amount changes.")).toBeTruthy();
    await user.type(dialog.getByRole("textbox", { name: "The family sees this" }), "Cash at the gate");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("User profile and payment information updated successfully")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/users/f1")[0]?.body).toEqual({
      version: 4,
      paid_amount: 170_000,
      adjustment_note: "Cash at the gate",
    });
  });

  it("says that a corrected address of an invited family is invited again", async () => {
    const invited = { logins: 0, invited: true };
    office({
      "GET /api/admin/users": list(family(invited), leah),
      "PATCH /api/admin/users/f1": detail({ ...invited, email: "right@family.example", version: 5 }),
    });
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.clear(dialog.getByLabelText("Email"));
    await user.type(dialog.getByLabelText("Email"), "right@family.example");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText(/^A new invitation is on its way to right@family.example/)).toBeTruthy();
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

  it("keeps the change of the paid amount when a payment came meanwhile", async () => {
    const camp = office({
      "PATCH /api/admin/users/f1": refuse(409, "stale"),
      "GET /api/admin/users/f1": detail({ version: 7, plan: plan({ paid_amount: 198_000 }) }),
    });
    const user = open("/admin/users");
    const dialog = await edit(user);
    const paid = dialog.getByLabelText("Paid Amount");
    expect(paid).toHaveProperty("value", "1,680.00");
    await user.clear(paid);
    await user.type(paid, "1730");
    await user.type(dialog.getByRole("textbox", { name: "The family sees this" }), "Cash at the gate");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    await user.click(await dialog.findByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(paid).toHaveProperty("value", "2,030.00"));
    const said = "Someone changed the paid amount from $1,680 to $1,980 meanwhile. Your change of +$50 is added to it.";
    expect(dialog.getByText((_, element) => element?.tagName === "P" && element.textContent === said)).toBeTruthy();
    camp.answer("PATCH /api/admin/users/f1", patched);
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    await waitFor(() =>
      expect(camp.asked("PATCH", "/api/admin/users/f1").at(-1)?.body).toEqual({
        version: 7,
        paid_amount: 203_000,
        adjustment_note: "Cash at the gate",
      }),
    );
  });

  it("keeps what was typed when somebody deleted the user meanwhile", async () => {
    office({
      "PATCH /api/admin/users/f1": refuse(409, "stale"),
      "GET /api/admin/users/f1": refuse(404, "not_found"),
    });
    const user = open("/admin/users");
    const dialog = await edit(user);
    await user.type(dialog.getByLabelText("Full Name"), "!");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    await user.click(await dialog.findByRole("button", { name: "Reload and keep what I typed" }));
    expect(await dialog.findByText(/^Someone just deleted this user, so it cannot be saved\./)).toBeTruthy();
    expect(dialog.getByLabelText("Full Name")).toHaveProperty("value", "Chaya Lindenfeld!");
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
    return within(await screen.findByRole("dialog", { name: "Record Payment" }));
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
    expect(dialog.getByText("The family gets a receipt by email.")).toBeTruthy();
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
    const sentence = "This is more than the remaining balance of $1,120. Check “Record as credit” to record it anyway.";
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
