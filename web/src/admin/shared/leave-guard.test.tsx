import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { detail, family, summary } from "../../test/families";
import { list, open, server } from "../../test/portal";
import { onDuty } from "../../test/staff";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "../users/users";

vi.setConfig({ testTimeout: 20_000 });

async function payment() {
  server({
    ...onDuty,
    "GET /api/admin/users": list(family()),
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/users/f1": detail(),
  });
  const user = open("/admin/users?user=f1");
  await user.click(
    within(await screen.findByRole("dialog", { name: "Chaya Lindenfeld" })).getByRole("button", {
      name: "Record Payment",
    }),
  );
  return { user, dialog: screen.getByRole("dialog", { name: "Record Payment" }) };
}
const closesTheTab = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

it("a payment that nobody began to type closes without a question", async () => {
  const { user, dialog } = await payment();
  expect(closesTheTab()).toBe(false);
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  expect(screen.queryByRole("dialog", { name: "Record Payment" })).toBeNull();
});

it.each([
  ["Cancel", (dialog: HTMLElement) => fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }))],
  ["Escape", (dialog: HTMLElement) => fireEvent.keyDown(dialog, { key: "Escape" })],
])("%s asks before it drops a payment that was typed", async (_, leave) => {
  const { user, dialog } = await payment();
  const amount = within(dialog).getByLabelText("Payment Amount");
  await user.type(amount, "500");
  expect(closesTheTab()).toBe(true);
  leave(dialog);
  const question = within(await screen.findByRole("dialog", { name: "Leave without saving?" }));
  await user.click(question.getByRole("button", { name: "Cancel" }));
  expect(amount).toHaveProperty("value", "500.00");
  leave(dialog);
  await user.click(
    within(await screen.findByRole("dialog", { name: "Leave without saving?" })).getByRole("button", {
      name: "Discard",
    }),
  );
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Record Payment" })).toBeNull());
  expect(closesTheTab()).toBe(false);
});

it("a press on the backdrop closes a dialog only before something is typed", async () => {
  const { user, dialog } = await payment();
  await user.type(within(dialog).getByLabelText("Payment Amount"), "500");
  fireEvent.mouseDown(dialog, { clientX: 9, clientY: 9 });
  expect(screen.queryByRole("dialog", { name: "Leave without saving?" })).toBeNull();
  expect(within(dialog).getByLabelText("Payment Amount")).toHaveProperty("value", "500");
});

it("a press on the backdrop closes a dialog in which nothing is typed, one on its scrollbar does not", async () => {
  const { dialog } = await payment();
  dialog.getBoundingClientRect = () => new DOMRect(10, 10, 100, 100);
  fireEvent.mouseDown(dialog, { clientX: 105, clientY: 50 });
  expect(dialog.isConnected).toBe(true);
  fireEvent.mouseDown(dialog, { clientX: 120, clientY: 50 });
  await waitFor(() => expect(dialog.isConnected).toBe(false));
});

it("a press that only ends on the backdrop closes nothing", async () => {
  const { user, dialog } = await payment();
  await user.type(within(dialog).getByLabelText("Payment Amount"), "500");
  fireEvent.mouseDown(within(dialog).getByLabelText("Payment Amount"));
  fireEvent.mouseUp(dialog);
  fireEvent.click(dialog);
  expect(screen.getAllByRole("dialog")).toHaveLength(2);
});

it("asks before the page is left with a family half typed in, and goes there when told to", async () => {
  server({ ...onDuty, "GET /api/admin/users": list(family()), "GET /api/admin/users/summary": summary });
  const user = open("/admin/users?action=add");
  await user.type(await screen.findByLabelText("Parent Name"), "Bluma Yarmush");
  const link = screen.getAllByRole("link", { name: /^Settings|^FAQ/ })[0]!;
  await user.click(link);
  await user.click(
    within(await screen.findByRole("dialog", { name: "Leave without saving?" })).getByRole("button", {
      name: "Cancel",
    }),
  );
  expect(screen.getByLabelText("Parent Name")).toHaveProperty("value", "Bluma Yarmush");
  await user.click(link);
  await user.click(
    within(await screen.findByRole("dialog", { name: "Leave without saving?" })).getByRole("button", { name: "Leave" }),
  );
  await waitFor(() => expect(screen.getByTestId("address").textContent).not.toContain("/admin/users"));
});
