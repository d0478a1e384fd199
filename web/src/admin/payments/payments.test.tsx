import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { payment } from "../../test/families";
import { list, open, refuse, server, site } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import type { Entry } from "./queries";
// Loads the lazy page here, so that this takes no time from a test.
import "../../app/admin";
import "./payments";

const entry = (change: Partial<Entry> = {}): Entry => ({
  ...payment(),
  family_id: "f1",
  full_name: "Chaya Lindenfeld",
  child_name: "Yanky",
  is_deleted: false,
  ...change,
});
const totals = {
  items: [
    { kind: "payment", entries: 2, amount: 218_000 },
    { kind: "refund", entries: 1, amount: -20_000 },
  ],
  amount: 198_000,
  currency: "USD",
};
const camp = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/payments/totals": totals,
    "GET /api/admin/payments": list(
      entry(),
      entry({ id: "p2", kind: "refund", amount: -20_000, notes: null, staff_notes: "Left early" }),
      entry({ id: "p3", amount: 50_000, is_deleted: true, full_name: "", child_name: "", voided: true }),
    ),
    ...answers,
  });
const address = () => screen.getByTestId("address").textContent;

vi.setConfig({ testTimeout: 20_000 });
beforeEach(() => {
  URL.createObjectURL = () => "blob:table";
  URL.revokeObjectURL = () => undefined;
});

describe("the payments of all families", () => {
  it("are listed with their families, sums and notes", async () => {
    camp();
    open("/admin/payments");
    const rows = within(await screen.findByRole("list", { name: "Payments" })).getAllByRole("listitem");
    expect(rows).toHaveLength(3);
    expect(within(rows[0]!).getByRole("link", { name: "Chaya Lindenfeld" }).getAttribute("href")).toBe(
      "/admin/users?user=f1",
    );
    expect(rows[0]!.textContent).toContain("+$1,680");
    expect(rows[0]!.textContent).toContain("Check 114");
    expect(rows[1]!.textContent).toContain("−$200");
    expect(rows[1]!.textContent).toContain("Only staff: Left early");
    expect(rows[2]!.textContent).toContain("Deleted family");
    expect(within(rows[2]!).getByText("Voided")).toBeTruthy();
    expect(screen.getByText("Sum").nextElementSibling?.textContent).toBe("$1,980");
    expect(screen.getByText("2 entries").previousElementSibling?.textContent).toBe("+$2,180");
  });

  it("are those of the chosen days, and can be taken along as a table", async () => {
    const office = camp({ "GET /api/admin/payments.csv": "Date,Kind" });
    const user = open("/admin/payments?from=2026-06-01&to=2026-06-30");
    await screen.findByRole("list", { name: "Payments" });
    const days = { from: "2026-06-01", to: "2026-06-30" };
    expect(office.asked("GET", "/api/admin/payments")[0]?.query).toEqual({ ...days, limit: "50" });
    expect(office.asked("GET", "/api/admin/payments/totals")[0]?.query).toEqual(days);
    await user.click(screen.getByRole("button", { name: "Export CSV" }));
    expect(await screen.findByText("The payments were downloaded")).toBeTruthy();
    expect(office.asked("GET", "/api/admin/payments.csv")[0]?.query).toEqual(days);
    await user.click(screen.getByRole("button", { name: "Today" }));
    await waitFor(() => expect(address()).toBe(`/admin/payments?from=${site.today}&to=${site.today}`));
    await user.click(screen.getByRole("button", { name: "All days" }));
    await waitFor(() => expect(address()).toBe("/admin/payments"));
  });

  it("are not asked for with days in the wrong order", async () => {
    const office = camp();
    open("/admin/payments?from=2026-07-01&to=2026-06-30");
    expect(await screen.findByText("The last day is before the first.")).toBeTruthy();
    expect(screen.getByText("Please correct the dates to see the payments again.")).toBeTruthy();
    expect(office.asked("GET", "/api/admin/payments")).toEqual([]);
  });

  it("say that there are none, and why they could not be loaded", async () => {
    const office = camp({
      "GET /api/admin/payments": list(),
      "GET /api/admin/payments/totals": { ...totals, items: [], amount: 0 },
    });
    const user = open("/admin/payments?from=2026-06-01");
    await user.click(await screen.findByRole("button", { name: "Show all days" }));
    expect(await screen.findByText("Nothing has been recorded yet")).toBeTruthy();
    office.answer("GET /api/admin/payments", refuse(503, "busy", "Please try again in a moment."));
    await user.click(screen.getByRole("button", { name: "This month" }));
    expect(await screen.findByText("Failed to load the payments")).toBeTruthy();
    office.answer("GET /api/admin/payments", list(entry()));
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("+$1,680")).toBeTruthy();
  });

  it("show no amounts while the currency is not known, and one press asks again", async () => {
    const refused = refuse(503, "busy", "Please try again in a moment.");
    const office = camp({ "GET /api/admin/payments/totals": refused });
    const user = open("/admin/payments");
    expect(await screen.findByText("Failed to load the payments")).toBeTruthy();
    expect(screen.queryByText(/\$1,680/)).toBeNull();
    office.answer("GET /api/admin/payments/totals", { ...totals, currency: "ILS" });
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("+₪1,680")).toBeTruthy();
  });

  it("are exported by owners only", async () => {
    camp({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/payments");
    await screen.findByRole("list", { name: "Payments" });
    expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  });
});
