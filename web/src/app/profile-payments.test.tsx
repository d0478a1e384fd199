import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { refuse } from "../test/portal";
import { payment, plan, profile, section } from "../test/profile-page";

describe("payment information", () => {
  it("is the plan, its progress and its history", async () => {
    profile({
      "GET /api/profile/payments": {
        plan,
        items: [
          payment(),
          payment({ id: "p2", kind: "refund", amount: -25_000, notes: null }),
          payment({ id: "p3", amount: 1, voided: true, notes: "By mistake" }),
          payment({ id: "p4", kind: "void", amount: -1, notes: "Was somebody else's" }),
        ],
        currency: "USD",
        payment_instructions: "",
      },
    });
    const shown = await section("Payment Information");
    expect(await shown.findByText("$2,128")).toBeTruthy();
    expect(shown.getByText("$5,320")).toBeTruthy();
    expect(shown.getByText("$3,192")).toBeTruthy();
    expect(shown.getByText("60%")).toBeTruthy();
    expect(shown.getByText("Payment Due")).toBeTruthy();
    expect(shown.getByText("August 14, 2026")).toBeTruthy();
    expect(shown.getByText("in 16 days")).toBeTruthy();
    expect(shown.getByRole("progressbar", { name: "Paid" }).getAttribute("aria-valuenow")).toBe("60");
    const history = within(shown.getByRole("group", { name: "Payment history" }));
    expect(shown.getByRole("group", { name: "Payment history" }).className).toContain("max-h-60");
    expect(history.getAllByRole("listitem")).toHaveLength(4);
    expect(history.getAllByRole("listitem")[3]!.textContent).toContain("Voided: Was somebody else's");
    expect(history.getByText("−$250")).toBeTruthy();
    expect(history.getByText("Refund")).toBeTruthy();
    expect(history.getByText("Voided")).toBeTruthy();
  });

  it.each([
    ["Overdue", { badge: "overdue", due_date: "2026-07-28" }, "1 day ago"],
    ["Payment Due", { badge: "payment_due", due_date: "2026-07-29" }, "today"],
    ["Paid in Full", { badge: "paid_in_full", is_fully_paid: true, remaining_amount: 0, percent: 100 }, "100%"],
  ] as const)("says %s in words", async (badge, change, text) => {
    profile({
      "GET /api/profile/payments": {
        plan: { ...plan, ...change },
        items: [],
        currency: "USD",
        payment_instructions: "",
      },
    });
    const shown = await section("Payment Information");
    expect(await shown.findByText(badge)).toBeTruthy();
    expect(shown.getByText(text)).toBeTruthy();
    expect(shown.getByText("No payments yet.")).toBeTruthy();
  });

  it("keeps the due date of what is paid, without counting days", async () => {
    const paid = { badge: "paid_in_full", is_fully_paid: true, due_date: "2026-07-28" } as const;
    profile({
      "GET /api/profile/payments": { plan: { ...plan, ...paid }, items: [], currency: "USD", payment_instructions: "" },
    });
    const shown = await section("Payment Information");
    expect((await shown.findByText("July 28, 2026")).closest("p")?.textContent).toBe("Due July 28, 2026");
  });

  it("says how to pay while something is owed", async () => {
    const instructions = { items: [], currency: "USD", payment_instructions: "At https://pay.camp.example" };
    profile({ "GET /api/profile/payments": { plan, ...instructions } });
    const shown = await section("Payment Information");
    const link = await shown.findByRole("link", { name: "https://pay.camp.example" });
    expect(link.closest("p")?.textContent).toBe("How to pay: At https://pay.camp.example");
  });

  it("says whom to ask without a plan", async () => {
    profile({ "GET /api/profile/payments": { plan: null, items: [], currency: "USD", payment_instructions: "" } });
    const shown = await section("Payment Information");
    expect(await shown.findByText("No payment plan found. Please contact camp administration.")).toBeTruthy();
    expect(shown.getByRole("link", { name: "(845) 555-0142" }).getAttribute("href")).toBe("tel:8455550142");
    expect(shown.getByRole("link", { name: "office@camp.example" }).getAttribute("href")).toBe(
      "mailto:office@camp.example",
    );
  });

  it("does not show a failure as a missing plan", async () => {
    profile({ "GET /api/profile/payments": refuse(500, "internal") });
    expect(await screen.findByText("Your payments could not be loaded")).toBeTruthy();
    expect(screen.queryByText(/No payment plan found/)).toBeNull();
  });
});
