import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse, server, unreachable } from "../../test/portal";
import { onDuty, onShabbos } from "../../test/staff";
import { valuesOf, expiryOf, mailHint, postLabel } from "./form-values";
import type { AdminUpdate } from "./queries";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./updates";

const update = (change: Partial<AdminUpdate> = {}): AdminUpdate => ({
  id: "n1",
  title: "Package room closes at 5",
  message: "Anything later is handed out on Friday.",
  author: "Mail room",
  priority: "high",
  created_at: new Date(Date.now() - 5 * 60_000).toISOString(),
  pinned_until: "2030-07-29T16:00:00Z",
  is_active: true,
  posted_by: "kornbluh",
  expires_at: "2030-07-31T03:59:00Z",
  version: 4,
  urgent: false,
  announced: true,
  deliveries: { queued: 2, collected: 0, sent: 209, failed: 1, suppressed: 0 },
  ...change,
});
const quiet = update({
  id: "n2",
  title: "Pool opens",
  priority: "low",
  pinned_until: null,
  is_active: false,
  expires_at: null,
  announced: false,
  deliveries: null,
});

const broken = refuse(500, "internal", "Something went wrong on our side.");

const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/live-updates": list(update(), quiet),
    "GET /api/admin/live-updates/reach": { recipients: 212, last_author: null },
    ...answers,
  });

const card = async (name: string) => within((await screen.findByRole("heading", { name, level: 3 })).closest("li")!);
const address = () => screen.getByTestId("address").textContent;
const fill = async (user: ReturnType<typeof open>) => {
  await user.type(await screen.findByLabelText("Title"), "Rain plan");
  await user.type(screen.getByLabelText("Message"), "Activities move indoors.");
  await user.type(screen.getByLabelText("Author"), "Camp office");
};

describe("the list of updates", () => {
  it("shows each one's priority, status, author, end and email delivery", async () => {
    desk();
    open("/admin/live-updates");
    const high = await card("Package room closes at 5");
    for (const words of [
      "High",
      "Active",
      "Pinned",
      "5 minutes ago",
      "2 queued, 209 sent, 1 failed",
      "Tuesday, Jul 30, 2030, 11:59 PM",
      "Monday, Jul 29, 2030, 12:00 PM",
    ])
      expect(high.getByText(words)).toBeTruthy();
    expect(high.getByText(/Posted by/).textContent).toBe("Posted by Mail room (kornbluh)");
    const low = await card("Pool opens");
    expect(low.getByText("Low")).toBeTruthy();
    expect(low.getByText("Inactive")).toBeTruthy();
    expect(low.getByText("No email")).toBeTruthy();
    expect(low.queryByText("Pinned")).toBeNull();
  });

  it("is filtered by standing and priority in the address bar", async () => {
    const camp = desk();
    const user = open("/admin/live-updates?standing=expired");
    await card("Pool opens");
    expect(camp.asked("GET", "/api/admin/live-updates")[0]?.query).toMatchObject({ standing: "expired" });
    expect(screen.getByLabelText("Filter by status")).toHaveProperty("value", "expired");
    camp.answer("GET /api/admin/live-updates", list());
    await user.selectOptions(screen.getByLabelText("Filter by priority"), "Low priority");
    expect(await screen.findByText("No updates found")).toBeTruthy();
    expect(address()).toBe("/admin/live-updates?standing=expired&priority=low");
    await user.click(screen.getByRole("button", { name: "Show all updates" }));
    expect(await screen.findByText("No Updates Yet")).toBeTruthy();
    expect(address()).toBe("/admin/live-updates");
  });

  it("hides and shows an update, in the words of the portal", async () => {
    const camp = desk({
      "PATCH /api/admin/live-updates/n1": update({ is_active: false }),
      "PATCH /api/admin/live-updates/n2": update(),
    });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Deactivate/ }));
    expect(await screen.findByText("Update Deactivated")).toBeTruthy();
    expect(screen.getByText("The update is now hidden to parents.")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/live-updates/n1")[0]?.body).toEqual({ version: 4, is_active: false });
    await user.click((await card("Pool opens")).getByRole("button", { name: /^Activate/ }));
    expect(await screen.findByText("Update Activated")).toBeTruthy();
    expect(screen.getByText("The update is now visible to parents.")).toBeTruthy();
  });

  it("says what failed, in the server's words or in those of the portal", async () => {
    const camp = desk({
      "PATCH /api/admin/live-updates/n1": refuse(409, "conflict", "The lake is closed."),
      "DELETE /api/admin/live-updates/n1": broken,
      "POST /api/admin/live-updates": broken,
    });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Deactivate/ }));
    expect(await screen.findByText("The lake is closed.")).toBeTruthy();
    camp.answer("PATCH /api/admin/live-updates/n1", broken);
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Deactivate/ }));
    expect(await screen.findByText("Failed to update status.")).toBeTruthy();
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Delete/ }));
    await user.click(screen.getByRole("button", { name: "Delete update" }));
    expect(await screen.findByText("Failed to delete update.")).toBeTruthy();
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
    await user.click(screen.getByRole("button", { name: "Create Update" }));
    await fill(user);
    await user.click(screen.getByRole("button", { name: /^Post update/ }));
    expect(await screen.findByText("Failed to create live update.")).toBeTruthy();
  });

  it("deletes after asking by name", async () => {
    const camp = desk({ "DELETE /api/admin/live-updates/n1": null });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Delete/ }));
    const dialog = within(screen.getByRole("dialog", { name: "Delete this update?" }));
    expect(dialog.getByText("Package room closes at 5")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Delete update" }));
    expect(await screen.findByText("Update Deleted")).toBeTruthy();
    expect(screen.getByText("The live update has been removed.")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/live-updates/n1")).toHaveLength(1);
  });

  it("says when there is nothing yet, and leads to the form", async () => {
    desk({ "GET /api/admin/live-updates": list() });
    const user = open("/admin/live-updates");
    expect(await screen.findByText("No Updates Yet")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Create First Update" }));
    expect(await screen.findByRole("heading", { name: "New update" })).toBeTruthy();
    expect(address()).toBe("/admin/live-updates?action=create");
  });

  it("does not show a failure as an empty list", async () => {
    const camp = desk({ "GET /api/admin/live-updates": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/live-updates");
    expect(await screen.findByText("Failed to fetch live updates.")).toBeTruthy();
    camp.answer("GET /api/admin/live-updates", list(update()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await card("Package room closes at 5")).toBeTruthy();
  });
});

describe("a new update", () => {
  it("says on its button how many people get mail, and posts once", async () => {
    const camp = desk({ "POST /api/admin/live-updates": { update: update(), notified: 212 } });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    expect([...screen.getByLabelText<HTMLSelectElement>("Pin to the top").options].map(({ text }) => text)).toEqual([
      "Not pinned",
      "For 1 day",
      ...[2, 3, 4, 5, 6, 7].map((days) => `For ${days} days`),
    ]);
    await user.selectOptions(screen.getByLabelText("Pin to the top"), "For 3 days");
    expect(screen.getByText("212 people get one email.")).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Post update to 212 people" }));
    expect(await screen.findByText("Live Update Posted!")).toBeTruthy();
    expect(screen.getByText("Your update has been posted and parents will be notified.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates").map(({ body }) => body)).toEqual([
      {
        title: "Rain plan",
        message: "Activities move indoors.",
        author: "Camp office",
        priority: "medium",
        pin_days: 3,
        expires_at: null,
        send_mail: true,
      },
    ]);
    await waitFor(() => expect(address()).toBe("/admin/live-updates"));
    expect(screen.getByLabelText("Title")).toHaveProperty("value", "");
  });

  it("says when its emails go out, and as urgent they go right away, after a second question", async () => {
    const saved = { update: update(), notified: 212, mail_at: onShabbos.mail_at };
    const camp = desk({ "GET /api/admin/quiet-time": onShabbos, "POST /api/admin/live-updates": saved });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    const waits = /^It is quiet time \(Shabbos\)\. Emails go out Saturday, Jul 20, 2030, 9:15\sPM\.$/;
    expect(await screen.findByText(waits)).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: "Urgent" }));
    expect(screen.queryByText(waits)).toBeNull();
    expect(screen.getByText("Emails go out right away, although it is quiet time (Shabbos).")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Post update to 212 people" }));
    const question = within(await screen.findByRole("dialog", { name: "Post it as urgent?" }));
    await user.click(question.getByRole("button", { name: "Cancel" }));
    expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(0);
    await user.click(screen.getByRole("checkbox", { name: "Urgent" }));
    await user.click(screen.getByRole("button", { name: "Post update to 212 people" }));
    expect(
      await screen.findByText(/^Your update has been posted\. Emails go out Saturday, Jul 20, 2030, 9:15\sPM\.$/),
    ).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates").map(({ body }) => body)).toEqual([
      expect.not.objectContaining({ urgent: true }),
    ]);
  });

  it("is posted as urgent once that was confirmed", async () => {
    const camp = desk({
      "GET /api/admin/quiet-time": onShabbos,
      "POST /api/admin/live-updates": { update: update(), notified: 212, mail_at: null },
    });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    await user.click(await screen.findByRole("checkbox", { name: "Urgent" }));
    await user.click(screen.getByRole("button", { name: "Post update to 212 people" }));
    await user.click(await screen.findByRole("button", { name: "Post it now" }));
    expect(await screen.findByText("Your update has been posted and parents will be notified.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates")[0]?.body).toMatchObject({ urgent: true, send_mail: true });
  });

  it("is urgent also outside of quiet time, for families who get one email a day", async () => {
    const camp = desk({ "POST /api/admin/live-updates": { update: update(), notified: 212, mail_at: null } });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    const urgent = screen.getByRole("checkbox", { name: "Urgent" });
    expect(screen.getByText("Families who get one email a day get this one right away.")).toBeTruthy();
    await user.click(urgent);
    await user.click(screen.getByRole("checkbox", { name: "Send it by email" }));
    expect(screen.queryByRole("checkbox", { name: "Urgent" })).toBeNull();
    await user.click(screen.getByRole("checkbox", { name: "Send it by email" }));
    await user.click(screen.getByRole("button", { name: "Post update to 212 people" }));
    const question = within(await screen.findByRole("dialog", { name: "Post it as urgent?" }));
    expect(question.getByText("Families who get one email a day get it right away.")).toBeTruthy();
    await user.click(question.getByRole("button", { name: "Post it now" }));
    expect(await screen.findByText("Live Update Posted!")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates")[0]?.body).toMatchObject({ urgent: true, send_mail: true });
  });

  it("needs title, message and author", async () => {
    const camp = desk();
    const user = open("/admin/live-updates?action=create");
    await user.click(await screen.findByRole("button", { name: /^Post update/ }));
    for (const words of ["Title is required", "Message is required", "Author is required"])
      expect(screen.getByText(words)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Title"));
    expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(0);
  });

  it("is posted without mail when staff choose so", async () => {
    const camp = desk({ "POST /api/admin/live-updates": { update: quiet, notified: 0 } });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    const mail = await screen.findByRole("checkbox", { name: "Send it by email" });
    expect(mail).toHaveProperty("checked", true);
    await user.click(mail);
    expect(screen.getByText("No emails are sent, even if it is activated again later.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Post update without email" }));
    expect(await screen.findByText("Your update has been posted.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates")[0]?.body).toMatchObject({ send_mail: false, pin_days: null });
  });

  it("is mailed to oneself first, with the same checks, and nothing is posted", async () => {
    const camp = desk({ "POST /api/admin/live-updates/test": null, "POST /api/admin/live-updates": broken });
    const user = open("/admin/live-updates?action=create");
    await user.click(await screen.findByRole("button", { name: "Send me a test" }));
    expect(screen.getByText("Message is required")).toBeTruthy();
    await fill(user);
    await user.click(screen.getByRole("button", { name: "Send me a test" }));
    expect(await screen.findByText("Test Sent")).toBeTruthy();
    expect(screen.getByText(/^It is on its way to .+@/)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates/test").map(({ body }) => body)).toEqual([
      { title: "Rain plan", message: "Activities move indoors.", author: "Camp office", priority: "medium" },
    ]);
    expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(0);
    expect(screen.getByLabelText("Title")).toHaveProperty("value", "Rain plan");
    const words = "You have sent yourself 10 tests in the last hour. You can send another one in 40 minutes.";
    camp.answer("POST /api/admin/live-updates/test", refuse(429, "too_many_tests", words));
    await user.click(screen.getByRole("button", { name: "Send me a test" }));
    expect((await screen.findAllByText(words)).length).toBeGreaterThan(0);
    // Enter posts, even after a test.
    await user.type(screen.getByLabelText("Title"), "{Enter}");
    await waitFor(() => expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(1));
  });

  it("says how many people get mail as of now before it is posted", async () => {
    const camp = desk();
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    const button = await screen.findByRole("button", { name: "Post update to 212 people" });
    camp.answer("GET /api/admin/live-updates/reach", { recipients: 214, last_author: null });
    await user.click(button);
    expect(
      await screen.findByText("The number has changed: 214 people get one email. Please post again."),
    ).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(0);
    await user.click(screen.getByRole("button", { name: "Post update to 214 people" }));
    await waitFor(() => expect(camp.asked("POST", "/api/admin/live-updates")).toHaveLength(1));
  });

  it("begins with the author of the last one", async () => {
    desk({ "GET /api/admin/live-updates/reach": { recipients: 1, last_author: "Camp office" } });
    const user = open("/admin/live-updates?action=create");
    await waitFor(() => expect(screen.getByLabelText("Author")).toHaveProperty("value", "Camp office"));
    await user.clear(screen.getByLabelText("Author"));
    expect(screen.getByLabelText("Author")).toHaveProperty("value", "");
  });

  it("keeps everything when it fails", async () => {
    desk({ "POST /api/admin/live-updates": unreachable });
    const user = open("/admin/live-updates?action=create");
    await fill(user);
    await user.click(screen.getByRole("button", { name: /^Post update/ }));
    expect((await screen.findAllByText(/cannot be reached right now/)).length).toBe(2);
    expect(screen.getByLabelText("Message")).toHaveProperty("value", "Activities move indoors.");
  });

  it("ends with its day unless a time is given", () => {
    expect(expiryOf({ date: "2026-08-01", time: "" })).toBe("2026-08-01T23:59");
    expect(expiryOf({ date: "", time: "" })).toBeNull();
    expect(valuesOf(update(), "America/New_York")).toMatchObject({ date: "2030-07-30", time: "23:59" });
  });

  it("uses the singular for one person, and does not mention zero", () => {
    expect([undefined, 0, 1, 212].map((reach) => postLabel(reach))).toEqual([
      "Post update",
      "Post update",
      "Post update to 1 person",
      "Post update to 212 people",
    ]);
    expect(postLabel(212, false)).toBe("Post update without email");
    expect([undefined, 0, 1, 212].map((reach) => mailHint(reach, true))).toEqual([
      "Everyone who wants camp updates gets one email.",
      "No one would get an email now.",
      "1 person gets one email.",
      "212 people get one email.",
    ]);
  });
});

describe("editing an update", () => {
  it("sends only what was changed, and what somebody else changed meanwhile stays", async () => {
    const camp = desk({ "PATCH /api/admin/live-updates/n1": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Edit/ }));
    const panel = within(await screen.findByRole("dialog", { name: "Edit update" }));
    expect(document.activeElement).toBe(panel.getByLabelText("Title"));
    await user.type(panel.getByLabelText("Title"), " sharp");
    await user.click(panel.getByRole("button", { name: "Save update" }));
    expect(await panel.findByText(/Someone else changed this update/)).toBeTruthy();
    camp.answer("GET /api/admin/live-updates/n1", update({ version: 5, message: "Theirs" }));
    camp.answer("PATCH /api/admin/live-updates/n1", update());
    await user.click(panel.getByRole("button", { name: "Reload and keep what I typed" }));
    await waitFor(() => expect(panel.getByLabelText("Message")).toHaveProperty("value", "Theirs"));
    await user.click(panel.getByRole("button", { name: "Save update" }));
    expect(await screen.findByText("Update Saved")).toBeTruthy();
    expect(camp.asked("PATCH", "/api/admin/live-updates/n1").at(-1)?.body).toEqual({
      version: 5,
      title: "Package room closes at 5 sharp",
    });
  });

  it("says that its emails wait, and will contain what is saved", async () => {
    const waiting = update({ deliveries: { queued: 211, collected: 1, sent: 0, failed: 0, suppressed: 0 } });
    desk({ "GET /api/admin/live-updates": list(waiting), "PATCH /api/admin/live-updates/n1": waiting });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Edit/ }));
    const panel = within(await screen.findByRole("dialog", { name: "Edit update" }));
    expect(panel.getByText("Its emails still wait, and will have what you save.")).toBeTruthy();
    await user.type(panel.getByLabelText("Title"), " sharp");
    await user.click(panel.getByRole("button", { name: "Save update" }));
    expect(await screen.findByText(/The emails that wait have the new text/)).toBeTruthy();
  });

  it("keeps what was typed when somebody deleted the update meanwhile", async () => {
    const camp = desk({ "PATCH /api/admin/live-updates/n1": refuse(409, "stale", "Someone else changed this.") });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Edit/ }));
    const panel = within(await screen.findByRole("dialog", { name: "Edit update" }));
    await user.type(panel.getByLabelText("Title"), " sharp");
    await user.click(panel.getByRole("button", { name: "Save update" }));
    camp.answer("GET /api/admin/live-updates/n1", refuse(404, "not_found", "Update not found."));
    await user.click(await panel.findByRole("button", { name: "Reload and keep what I typed" }));
    expect(await panel.findByText(/^Someone just deleted this update, so it cannot be saved\./)).toBeTruthy();
    expect(panel.getByLabelText("Title")).toHaveProperty("value", "Package room closes at 5 sharp");
    expect(panel.queryByRole("button", { name: "Reload and keep what I typed" })).toBeNull();
  });

  it("renews and ends a pin, and otherwise leaves it as it is", async () => {
    const camp = desk({ "PATCH /api/admin/live-updates/n1": update() });
    const user = open("/admin/live-updates");
    for (const [choice, pin_days] of [
      ["5 days from now", 5],
      ["Not pinned", null],
    ] as const) {
      await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Edit/ }));
      const panel = within(await screen.findByRole("dialog", { name: "Edit update" }));
      const pin = panel.getByLabelText<HTMLSelectElement>("Pin to the top");
      expect(pin.selectedOptions[0]?.text.replace("\u00a0", " ")).toBe("Until Monday, Jul 29, 2030, 12:00 PM");
      await user.selectOptions(pin, choice);
      await user.click(panel.getByRole("button", { name: "Save update" }));
      await waitFor(() =>
        expect(camp.asked("PATCH", "/api/admin/live-updates/n1").at(-1)?.body).toEqual({ version: 4, pin_days }),
      );
      await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    }
  });

  it("removes an end", async () => {
    const camp = desk({ "PATCH /api/admin/live-updates/n1": update() });
    const user = open("/admin/live-updates");
    await user.click((await card("Package room closes at 5")).getByRole("button", { name: /^Edit/ }));
    const panel = within(await screen.findByRole("dialog", { name: "Edit update" }));
    await user.clear(panel.getByLabelText(/^Hide after/));
    await user.click(panel.getByRole("button", { name: "Save update" }));
    await waitFor(() =>
      expect(camp.asked("PATCH", "/api/admin/live-updates/n1")[0]?.body).toEqual({ version: 4, expires_at: null }),
    );
  });
});
