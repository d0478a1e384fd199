import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { detail, family, summary } from "../../test/families";
import { list, open, refuse, server } from "../../test/portal";
import { onDuty } from "../../test/staff";
import type { FailedMail, MailReport, RefusedAddress } from "./queries";

const failed = (change: Partial<FailedMail> = {}): FailedMail => ({
  notification_id: "n1",
  email: "chaya@family.example",
  full_name: "Chaya Lindenfeld",
  kind: "invitation",
  title: null,
  reason: "554 5.7.1 Looks like spam",
  failed_at: "2026-07-29T12:00:00Z",
  family_id: "f1",
  refused: false,
  ...change,
});
const letter = failed({
  notification_id: "n2",
  email: "bubby@neighbor.example",
  full_name: "",
  kind: "letter",
  title: "Come at ten",
  family_id: null,
  refused: true,
});
const refused = (change: Partial<RefusedAddress> = {}): RefusedAddress => ({
  email: "chaya@family.example",
  reason: "550 No such user",
  refused_at: "2026-07-20T12:00:00Z",
  family_id: "f1",
  family_name: "Chaya Lindenfeld",
  staff: null,
  subscriber: false,
  ...change,
});

const report = (change: Partial<MailReport> = {}): MailReport => ({
  id: "r1",
  email: "chaya@family.example",
  full_name: "Chaya Lindenfeld",
  kind: "hard",
  cause: "no_such_address",
  reason: "550 5.1.1 No such user",
  mail: "video",
  title: "Swim test",
  reported_at: "2026-07-29T12:00:00Z",
  family_id: "f1",
  refused: true,
  ...change,
});

const post = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/mail/failed": list(failed(), letter),
    "GET /api/admin/mail/refused": list(
      refused(),
      refused({ email: "bubby@neighbor.example", family_id: null, family_name: null, subscriber: true }),
    ),
    "GET /api/admin/users/summary": summary,
    ...answers,
  });
const row = async (words: string) =>
  within((await screen.findByText(words, { selector: "bdi, span.font-medium" })).closest("li")!);

describe("failed mails", () => {
  it("say what they were, to whom and why they failed", async () => {
    post();
    open("/admin/mail");
    const invitation = await row("Invitation");
    expect(invitation.getByText("554 5.7.1 Looks like spam")).toBeTruthy();
    expect(invitation.getByRole("link", { name: "Chaya Lindenfeld" }).getAttribute("href")).toBe(
      "/admin/users?user=f1",
    );
    expect((await row("Newsletter:")).getByText("Come at ten")).toBeTruthy();
    expect((await row("Newsletter:")).getByText("Address refused")).toBeTruthy();
  });

  it("are filtered in the address bar", async () => {
    const camp = post();
    const user = open("/admin/mail?about=other");
    await row("Invitation");
    expect(camp.asked("GET", "/api/admin/mail/failed")[0]?.query).toMatchObject({ about: "other" });
    camp.answer("GET /api/admin/mail/failed", list());
    await user.selectOptions(screen.getByLabelText("About"), "videos");
    expect(await screen.findByText("No emails failed in the last seven days")).toBeTruthy();
    expect(screen.getByTestId("address").textContent).toBe("/admin/mail?about=videos");
    await user.click(screen.getByRole("button", { name: "Show everything" }));
    expect(screen.getByTestId("address").textContent).toBe("/admin/mail");
  });

  it("are sent again, one or all", async () => {
    const camp = post({ "POST /api/admin/mail/failed/send-again": { queued: 1 } });
    const user = open("/admin/mail");
    await user.click((await row("Invitation")).getByRole("button", { name: "Send again to chaya@family.example" }));
    expect(await screen.findByText("1 email on the way again")).toBeTruthy();
    camp.answer("POST /api/admin/mail/failed/send-again", { queued: 2 });
    await user.click(screen.getByRole("button", { name: "Send all 2 again" }));
    expect(await screen.findByText("2 emails on the way again")).toBeTruthy();
    const one = { notification_id: "n1", email: "chaya@family.example" };
    expect(camp.asked("POST", "/api/admin/mail/failed/send-again").map(({ body }) => body)).toEqual([
      { mails: [one] },
      { mails: [one, { notification_id: "n2", email: "bubby@neighbor.example" }] },
    ]);
    camp.answer("POST /api/admin/mail/failed/send-again", refuse(500, "internal"));
    await user.click(screen.getByRole("button", { name: "Send all 2 again" }));
    expect(await screen.findByText("The emails could not be sent again.")).toBeTruthy();
  });

  it("do not take a failure for calm", async () => {
    const camp = post({ "GET /api/admin/mail/failed": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/mail");
    expect(await screen.findByText("Failed to load the failed emails")).toBeTruthy();
    camp.answer("GET /api/admin/mail/failed", list());
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("No emails failed in the last seven days")).toBeTruthy();
  });
});

describe("refused addresses", () => {
  it("say whose they are and why, and let mail through again", async () => {
    const camp = post({ "POST /api/admin/mail/refused/let-through": null });
    const user = open("/admin/mail?show=addresses");
    const chaya = await row("chaya@family.example");
    expect(chaya.getByText("550 No such user")).toBeTruthy();
    expect((await row("bubby@neighbor.example")).getByRole("link", { name: "Mailing list" }).getAttribute("href")).toBe(
      "/admin/messages?view=subscribers&q=bubby%40neighbor.example",
    );
    camp.answer("GET /api/admin/mail/refused", list());
    await user.click(chaya.getByRole("button", { name: "Allow emails to chaya@family.example" }));
    expect(await screen.findByText("We’ll send emails to chaya@family.example again")).toBeTruthy();
    expect(await screen.findByText("No address has refused our emails")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/mail/refused/let-through")[0]?.body).toEqual({
      email: "chaya@family.example",
    });
  });

  it("are corrected in place", async () => {
    const camp = post({
      "GET /api/admin/users/f1": detail(),
      "PATCH /api/admin/users/f1": detail({ email: "chaya@new.example" }),
    });
    const user = open("/admin/mail?show=addresses");
    await user.click((await row("chaya@family.example")).getByRole("button", { name: "Correct chaya@family.example" }));
    const email = await screen.findByLabelText("Email");
    await user.clear(email);
    await user.type(email, "chaya@new.example");
    camp.answer("GET /api/admin/mail/refused", list());
    await user.click(screen.getByRole("button", { name: "Save All Changes" }));
    expect(await screen.findByText("User Updated")).toBeTruthy();
    await waitFor(() => expect(screen.getByText("No address has refused our emails")).toBeTruthy());
    expect(camp.asked("PATCH", "/api/admin/users/f1")[0]?.body).toEqual({
      version: family().version,
      email: "chaya@new.example",
    });
  });
});

describe("bounces and complaints", () => {
  it("say in words what happened and what to do", async () => {
    const camp = post({
      "GET /api/admin/mail/reports": list(
        report(),
        report({ id: "r2", email: "full@family.example", kind: "soft", cause: "mailbox_full", refused: false }),
        report({ id: "r3", email: "angry@family.example", kind: "complaint", cause: "spam", refused: false }),
      ),
      "POST /api/admin/mail/refused/let-through": null,
    });
    const user = open("/admin/mail?show=reports");
    const gone = await row("chaya@family.example");
    expect(gone.getByText(/The address does not exist\. Ask the family and correct the address/)).toBeTruthy();
    expect(gone.getByText("550 5.1.1 No such user")).toBeTruthy();
    expect(gone.getByText("Swim test")).toBeTruthy();
    expect(gone.getByRole("button", { name: "Correct chaya@family.example" })).toBeTruthy();
    const full = await row("full@family.example");
    expect(full.getByText(/The mailbox is full\. Nothing to do yet/)).toBeTruthy();
    expect(full.queryByRole("button")).toBeNull();
    expect((await row("angry@family.example")).getByText("Complaint")).toBeTruthy();
    camp.answer("GET /api/admin/mail/reports", list(report({ refused: false })));
    await user.click(gone.getByRole("button", { name: "Allow emails to chaya@family.example" }));
    expect(await screen.findByText(/Emails go to this address again/)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/mail/refused/let-through")[0]?.body).toEqual({
      email: "chaya@family.example",
    });
  });

  it("have their own view, where an empty list is good news", async () => {
    post({ "GET /api/admin/mail/reports": list() });
    const user = open("/admin/mail");
    await user.click(await screen.findByRole("button", { name: "Bounces" }));
    expect(await screen.findByText("No email came back in the last 90 days")).toBeTruthy();
    expect(screen.getByTestId("address").textContent).toBe("/admin/mail?show=reports");
  });
});

describe("every email", () => {
  const html = `<style>:root{color-scheme: light dark} @media (prefers-color-scheme: dark) {.a{}}</style><p>Hello <a class="act" href="https://camp.example/map" style="color:#123456">map</a></p>`;
  const sample = (name: string, title: string) => ({
    name,
    title,
    subject: `Subject of ${title}`,
    from: "Camp Pine Lake <no-reply@camp.example>",
    preview: "How it begins",
    html,
    text: `Text of ${title}`,
  });
  const desk = (answers: Record<string, unknown> = {}) =>
    post({
      "GET /api/admin/mail/samples": list(
        { name: "video", title: "New video", group: "families", subject: "New video: Lake" },
        { name: "alert", title: "Alert to the owners", group: "staff", subject: "Attention" },
      ),
      "GET /api/admin/mail/samples/video": sample("video", "New video"),
      "GET /api/admin/mail/samples/alert": sample("alert", "Alert to the owners"),
      ...answers,
    });
  const frame = async () => (await screen.findByTitle(/^Preview:/)) as HTMLIFrameElement;

  it("is shown in light, in dark and as text, without scripts", async () => {
    desk();
    const user = open("/admin/mail");
    await user.click(await screen.findByRole("button", { name: "Preview emails" }));
    expect(screen.getByTestId("address").textContent).toBe("/admin/mail?show=preview");
    const shown = await frame();
    expect(shown.getAttribute("sandbox")).toBe("");
    expect(shown.srcdoc).toContain("@media not all {");
    expect(shown.srcdoc).toContain(`<a class="act" style="color:#123456">map</a>`);
    expect(shown.tabIndex).toBe(0);
    const forms = within(screen.getByRole("group", { name: "How to show it" }));
    await user.click(forms.getByRole("button", { name: "Dark" }));
    expect((await frame()).srcdoc).toContain("@media all {");
    expect((await frame()).srcdoc).toContain("color-scheme: dark}");
    await user.click(forms.getByRole("button", { name: "Text" }));
    expect(screen.getByText("Text of New video")).toBeTruthy();
    await user.click(screen.getByRole("link", { name: "Alert to the owners" }));
    expect(await screen.findByText("Subject of Alert to the owners")).toBeTruthy();
    expect(screen.getByText("Text of Alert to the owners")).toBeTruthy();
    expect(screen.getByTestId("address").textContent).toBe("/admin/mail?show=preview&mail=alert");
  });

  it("is sent to oneself", async () => {
    const words = "You have sent yourself 10 tests in the last hour. You can send another one in 5 minutes.";
    const camp = desk({ "POST /api/admin/mail/samples/alert/test": null });
    const user = open("/admin/mail?show=preview&mail=alert");
    await user.click(await screen.findByRole("button", { name: "Send me a test" }));
    expect(await screen.findByText("Test Sent")).toBeTruthy();
    expect(screen.getByText("It is on its way to kornbluh@camp.example.")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/mail/samples/alert/test")).toHaveLength(1);
    camp.answer("POST /api/admin/mail/samples/alert/test", refuse(429, "too_many_tests", words));
    await user.click(screen.getByRole("button", { name: "Send me a test" }));
    expect(await screen.findByText(words)).toBeTruthy();
  });

  it("does not show a failure as an empty list", async () => {
    desk({ "GET /api/admin/mail/samples": refuse(500, "internal", "Something went wrong.") });
    open("/admin/mail?show=preview");
    expect(await screen.findByText("Failed to load the emails")).toBeTruthy();
  });
});
