import { screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { detail, family, leah, summary } from "../../test/families";
import { list, never, open, refuse, server } from "../../test/portal";
import { onDuty } from "../../test/staff";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./users";

// These tests are long, and the machine may be busy.
vi.setConfig({ testTimeout: 20_000 });

const away = refuse(500, "internal", "The lake is closed.");
const office = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/users": list(family(), leah),
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/users/f1": detail(),
    "GET /api/admin/users/f2": { ...leah, payments: [], emails: [] },
    ...answers,
  });
const button = (name: RegExp | string) => screen.findByRole("button", { name });
const edit = async (user: ReturnType<typeof open>, name: string) => {
  await user.click(await button(name));
  return within(await screen.findByRole("dialog"));
};

describe("what the screen says, in the words of the portal", () => {
  it("while it loads", async () => {
    office({ "GET /api/admin/users": never });
    open("/admin/users");
    expect(await screen.findByRole("status", { name: "Loading users..." })).toBeTruthy();
  });

  it("about families with little data", async () => {
    office({ "GET /api/admin/users": list(family({ full_name: "", email: null, child_name: "" })) });
    open("/admin/users");
    const row = within((await screen.findByText("No Name", { selector: "td bdi" })).closest("tr")!);
    for (const words of ["No Email", "N/A"]) expect(row.getByText(words)).toBeTruthy();
    for (const name of ["Edit No Name", "Add payment for No Name", "Delete No Name"])
      expect(row.getByRole("button", { name })).toBeTruthy();
  });

  it("when the plans cannot be counted, the families are shown all the same", async () => {
    const camp = office({ "GET /api/admin/users/summary": away });
    const user = open("/admin/users");
    expect(await screen.findByText("Failed to load payment plans")).toBeTruthy();
    expect(screen.getByText("Chaya Lindenfeld")).toBeTruthy();
    camp.answer("GET /api/admin/users/summary", summary);
    await user.click(await button("Retry"));
    expect(await screen.findByText("$318,460")).toBeTruthy();
  });

  it("when a user is added", async () => {
    office({ "POST /api/admin/users": family({ full_name: "Esty Brachfeld", email: "esty@family.example" }) });
    const user = open("/admin/users?action=add");
    for (const [label, words] of [
      ["Parent Name", "Esty Brachfeld"],
      ["Email Address", "esty@family.example"],
      ["Child Name", "Duvi"],
    ] as const)
      await user.type(await screen.findByLabelText(label), words);
    await user.click(await button("Add user and send invitation"));
    expect(await screen.findByText("User Added Successfully")).toBeTruthy();
    expect(
      screen.getByText(
        /^User added successfully with payment plan\. Esty Brachfeld can now sign up with esty@family\.example/,
      ),
    ).toBeTruthy();
  });

  it("when a user cannot be added", async () => {
    office({ "POST /api/admin/users": away });
    const user = open("/admin/users?action=add");
    for (const label of ["Parent Name", "Email Address", "Child Name"])
      await user.type(await screen.findByLabelText(label), "esty@family.example");
    await user.click(await button("Add user and send invitation"));
    expect(await screen.findByText("Failed to add user")).toBeTruthy();
    expect(screen.getAllByText("The lake is closed.").length).toBe(2);
  });

  it("when a user, or its plan, cannot be updated", async () => {
    const camp = office({ "PATCH /api/admin/users/f1": away });
    const user = open("/admin/users");
    const dialog = await edit(user, "Edit Chaya Lindenfeld");
    await user.type(dialog.getByLabelText("Full Name"), "!");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Failed to update user: The lake is closed.")).toBeTruthy();
    camp.answer(
      "PATCH /api/admin/users/f1",
      refuse(422, "validation", "Too much.", [{ field: "total_amount", message: "Too much." }]),
    );
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Failed to update payment plan: Too much.")).toBeTruthy();
    expect(dialog.getByLabelText("Full Name")).toHaveProperty("value", "Chaya Lindenfeld!");
  });

  it("when a plan is set up", async () => {
    office({ "PATCH /api/admin/users/f2": { ...leah, payments: [], emails: [] } });
    const user = open("/admin/users");
    const dialog = await edit(user, "Set up a plan for Leah Morgenshtern");
    await user.click(dialog.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("Payment plan updated successfully")).toBeTruthy();
  });

  it("when a user cannot be deleted, the question stays", async () => {
    office({ "DELETE /api/admin/users/f1": away });
    const user = open("/admin/users");
    const dialog = await edit(user, "Delete Chaya Lindenfeld");
    await user.click(dialog.getByRole("button", { name: "Delete user" }));
    expect(await screen.findByText("Failed to delete user: The lake is closed.")).toBeTruthy();
    expect(dialog.getByRole("button", { name: "Delete user" })).toBeTruthy();
  });

  it("when addresses find no room in a merged family", async () => {
    const other = family({ id: "f3", full_name: "Chaya Linden", email: "third@family.example" });
    const merged = {
      full_name: "Chaya Lindenfeld",
      child_name: "Yanky",
      plan: null,
      logins: 2,
      payments: 0,
      comments: 0,
      emails: ["chaya@family.example", "second@family.example"],
      mail: [] as object[],
    };
    const none = { daily_videos: false, camp_updates: false, general: false };
    for (const email of [...merged.emails, "third@family.example"])
      merged.mail.push({ email, before: none, after: none });
    office({
      "GET /api/admin/users": list(other),
      "GET /api/admin/users/f1": detail({ secondary_email: "second@family.example" }),
      "POST /api/admin/users/merge": merged,
    });
    const user = open("/admin/users?user=f1");
    await user.click(await button("Merge with another user"));
    const dialog = within(screen.getByRole("dialog", { name: "Merge two users" }));
    await user.click(await dialog.findByRole("button", { name: /Chaya Linden/ }));
    const left = await dialog.findByText("Left out");
    expect(left.nextElementSibling?.textContent).toBe(
      "third@family.exampleGets no videos, updates or newslettersA family has at most two addresses. Emails about payments go to those two.",
    );
  });
});
