import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { list, open, refuse, server, unreachable } from "../../test/portal";
import { onDuty } from "../../test/staff";
import { moved } from "../shared/drag-order";
import type { AdminFaq } from "./queries";
import { filled } from "./words";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./faq";

const entry = (change: Partial<AdminFaq> = {}): AdminFaq => ({
  id: "f1",
  slug: "videos",
  question: "When are videos posted?",
  answer: "{posting_time}",
  category: "Schedule",
  topic: "videos",
  is_published: true,
  position: 1,
  views: 1,
  updated_at: "2026-07-29T12:00:00Z",
  version: 2,
  ...change,
});
const second = entry({
  id: "f2",
  question: "Who may watch?",
  answer: "{access_answer}",
  category: "Safety & Security",
  is_published: false,
  position: 2,
});

const desk = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/faq": list(entry(), second),
    "GET /api/admin/faq/stats": { total: 2, published: 1, draft: 1, total_views: 41 },
    "GET /api/admin/faq/placeholders": list({ name: "{posting_time}", value: "7-9 PM." }),
    ...answers,
  });
const row = async (name: string) => within((await screen.findByRole("heading", { name, level: 3 })).closest("li")!);

it("shows its figures, publishes and unpublishes", async () => {
  const camp = desk({ "PATCH /api/admin/faq/f2": second });
  const user = open("/admin/faq");
  const draft = await row("Who may watch?");
  expect(draft.getByText("Draft")).toBeTruthy();
  expect(await screen.findByText("41")).toBeTruthy();
  await user.click(draft.getByRole("button", { name: /^Publish/ }));
  expect(await screen.findByText("FAQ Published")).toBeTruthy();
  expect(camp.asked("PATCH", "/api/admin/faq/f2")[0]?.body).toEqual({ version: 2, is_published: true });
});

it("is sorted with the arrow keys", async () => {
  const camp = desk({ "PUT /api/admin/faq/order": null });
  const user = open("/admin/faq");
  (await row("When are videos posted?")).getByRole("button", { name: /^Move/ }).focus();
  await user.keyboard("{ArrowDown}");
  await waitFor(() => expect(camp.asked("PUT", "/api/admin/faq/order")[0]?.body).toEqual({ ids: ["f2", "f1"] }));
  expect(screen.getByText("When are videos posted?: now number 2 of 2.")).toBeTruthy();
});

it("loses no key press that comes before the list is rendered again", async () => {
  const third = entry({ id: "f3", question: "What to pack?", position: 3 });
  const camp = desk({ "GET /api/admin/faq": list(entry(), second, third), "PUT /api/admin/faq/order": null });
  open("/admin/faq");
  const handle = (await row("When are videos posted?")).getByRole("button", { name: /^Move/ });
  fireEvent.keyDown(handle, { key: "ArrowDown" });
  fireEvent.keyDown(handle, { key: "ArrowDown" });
  await waitFor(() =>
    expect(camp.asked("PUT", "/api/admin/faq/order").map(({ body }) => body)).toEqual([
      { ids: ["f2", "f1", "f3"] },
      { ids: ["f2", "f3", "f1"] },
    ]),
  );
});

it("shows the families' order again if a new one cannot be saved", async () => {
  const camp = desk({ "PUT /api/admin/faq/order": refuse(500, "internal") });
  const user = open("/admin/faq");
  const handle = (await row("When are videos posted?")).getByRole("button", { name: /^Move/ });
  camp.answer("GET /api/admin/faq", unreachable);
  handle.focus();
  await user.keyboard("{ArrowDown}");
  expect(await screen.findByText("Failed to save the order.")).toBeTruthy();
  expect(screen.getAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent)).toEqual([
    "When are videos posted?",
    "Who may watch?",
  ]);
});

it("previews an answer as families see it, and sends only the changes", async () => {
  const camp = desk({ "PATCH /api/admin/faq/f1": entry() });
  const user = open("/admin/faq");
  await user.click((await row("When are videos posted?")).getByRole("button", { name: /^Edit/ }));
  const panel = within(await screen.findByRole("dialog", { name: "Edit FAQ" }));
  expect(await within(panel.getByRole("region", { name: "Preview" })).findByText("7-9 PM.")).toBeTruthy();
  await user.selectOptions(panel.getByLabelText("Category"), "Policies");
  await user.click(panel.getByRole("button", { name: "Save FAQ" }));
  expect(await screen.findByText("FAQ Updated")).toBeTruthy();
  expect(camp.asked("PATCH", "/api/admin/faq/f1")[0]?.body).toEqual({ version: 2, category: "Policies" });
});

it("adds a question in the current category, and keeps the text if that fails", async () => {
  const camp = desk({ "POST /api/admin/faq": refuse(500, "internal", "Something went wrong on our side.") });
  const user = open("/admin/faq?category=Policies");
  await user.click(await screen.findByRole("button", { name: "Add FAQ" }));
  const panel = within(await screen.findByRole("dialog", { name: "Add FAQ" }));
  await user.click(panel.getByRole("button", { name: "Add and publish" }));
  expect(panel.getByText("Please enter a question.")).toBeTruthy();
  await user.type(panel.getByLabelText("Question"), "Phones?");
  await user.type(panel.getByLabelText("Answer"), "None.");
  await user.click(panel.getByRole("button", { name: "Add and publish" }));
  expect((await screen.findAllByText("Something went wrong on our side.")).length).toBeGreaterThan(0);
  expect(panel.getByLabelText("Question")).toHaveProperty("value", "Phones?");
  expect(camp.asked("POST", "/api/admin/faq")[0]?.body).toMatchObject({ category: "Policies", is_published: true });
});

it("says beside the answer which placeholder does not exist, and keeps what was typed", async () => {
  const message = "“{posting_tim}” is not a placeholder of the portal. Please use one of: {posting_time}.";
  const camp = desk({ "POST /api/admin/faq": refuse(422, "validation", message, [{ field: "answer", message }]) });
  const user = open("/admin/faq");
  await user.click(await screen.findByRole("button", { name: "Add FAQ" }));
  const panel = within(await screen.findByRole("dialog", { name: "Add FAQ" }));
  fireEvent.change(panel.getByLabelText("Question"), { target: { value: "When are videos posted?" } });
  const answer = panel.getByLabelText("Answer");
  fireEvent.change(answer, { target: { value: "At {posting_tim}." } });
  await user.click(panel.getByRole("button", { name: "Add and publish" }));
  expect(await panel.findByText(message)).toBeTruthy();
  expect(document.activeElement).toBe(answer);

  camp.answer("POST /api/admin/faq", entry());
  fireEvent.change(answer, { target: { value: "At {posting_time}." } });
  await user.click(panel.getByRole("button", { name: "Add and publish" }));
  expect(await screen.findByText("FAQ Added")).toBeTruthy();
  expect(camp.asked("POST", "/api/admin/faq").at(-1)?.body.answer).toBe("At {posting_time}.");
});

it("shows answers as families read them", async () => {
  desk();
  open("/admin/faq");
  expect(await (await row("When are videos posted?")).findByText("7-9 PM.")).toBeTruthy();
  expect(screen.queryByText("{posting_time}")).toBeNull();
});

it("fills placeholders without a gap, and moves one among many", () => {
  expect(
    filled("Call {phone} or {none} write.", [
      { name: "{phone}", value: "555" },
      { name: "{none}", value: "" },
    ]),
  ).toBe("Call 555 or write.");
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
});
