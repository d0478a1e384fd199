import { describe, expect, it } from "vitest";
import { family, leah, payment, plan } from "../../test/families";
import { adjustment, changesOf, valuesOf, problemsOf } from "./edit-values";
import { newIdempotencyKey } from "../shared/idempotency-key";
import { threeWay } from "../shared/form";
import { amountOf, balanceAfter, problemsOf as recordProblems, type RecordValues } from "./record-values";
import { withRunningBalance } from "./statement";
import { dueText, paidShare, recorded, signed, awaitsApproval } from "./words";

describe("the edit dialog", () => {
  it.each([family(), leah])("sends nothing of $full_name that nobody touched", (one) => {
    expect(changesOf(valuesOf(one), one)).toEqual({});
    expect(problemsOf(valuesOf(one), one, "USD")).toEqual({});
  });

  it("turns a changed paid amount into an adjustment, which needs a note of either kind", () => {
    const values = { ...valuesOf(family()), paid_amount: "1,700.50" };
    expect(adjustment(values, family())).toBe(2_050);
    expect(problemsOf(values, family(), "USD")).toEqual({
      adjustment_note: "Please add a note that says why the paid amount changes.",
    });
    expect(changesOf({ ...values, adjustment_note: " Cash at the gate " }, family())).toEqual({
      paid_amount: 170_050,
      adjustment_note: "Cash at the gate",
    });
    expect(changesOf({ ...values, adjustment_staff_note: "From the fund" }, family())).toEqual({
      paid_amount: 170_050,
      adjustment_staff_note: "From the fund",
    });
  });

  it("makes no plan unless somebody says so", () => {
    const values = { ...valuesOf(leah, 310_000), child_name: "Chaim" };
    expect(changesOf(values, leah)).toEqual({ child_name: "Chaim" });
    expect(changesOf({ ...values, planned: true, due_date: "2027-06-01" }, leah)).toEqual({
      child_name: "Chaim",
      total_amount: 310_000,
      due_date: "2027-06-01",
    });
  });

  it("removes addresses and dates with null, and refuses what is not an amount", () => {
    expect(changesOf({ ...valuesOf(family()), email: " ", due_date: "" }, family())).toEqual({
      email: null,
      due_date: null,
    });
    expect(
      Object.keys(problemsOf({ ...valuesOf(family()), total_amount: "lots", paid_amount: "1.234" }, family(), "USD")),
    ).toEqual(["total_amount", "paid_amount"]);
    expect(problemsOf({ ...valuesOf(family()), full_name: " " }, family(), "USD")).toEqual({
      full_name: "Please enter a name.",
    });
  });

  it("keeps what was typed when somebody else was quicker, and takes over the rest", () => {
    const base = valuesOf(family());
    const fresh = valuesOf(family({ child_name: "Yanky", plan: plan({ paid_amount: 200_000 }), version: 5 }));
    expect(threeWay({ ...base, full_name: "Chaya L." }, base, fresh)).toEqual({ ...fresh, full_name: "Chaya L." });
  });
});

describe("a row for the ledger", () => {
  const values = (change: Partial<RecordValues>): RecordValues => ({
    kind: "payment",
    amount: "",
    direction: "more",
    payment_date: "2026-07-29",
    notes: "",
    staff_notes: "",
    as_credit: false,
    ...change,
  });

  it("is exact, and only an adjustment can be negative", () => {
    expect(amountOf(values({ amount: "19.99" }))).toBe(1_999);
    expect(amountOf(values({ kind: "adjustment", direction: "less", amount: "5" }))).toBe(-500);
    for (const amount of ["", "0", "-5", "x"]) expect(amountOf(values({ amount }))).toBeNull();
  });

  it("says what remains afterwards, never less than zero", () => {
    expect(balanceAfter(plan(), values({ amount: "120" }))).toBe(100_000);
    expect(balanceAfter(plan(), values({ amount: "9999" }))).toBe(0);
    expect(balanceAfter(plan(), values({ kind: "refund", amount: "80" }))).toBe(120_000);
    expect(balanceAfter(plan(), values({ kind: "adjustment", direction: "less", amount: "80" }))).toBe(120_000);
  });

  it("is checked before it is sent", () => {
    expect(recordProblems(values({}), "2026-07-29", "USD")).toEqual({
      amount: "Please enter an amount greater than 0.",
    });
    expect(recordProblems(values({ amount: "1", payment_date: "2026-07-30" }), "2026-07-29", "USD")).toEqual({
      payment_date: "The payment date cannot be in the future.",
    });
    expect(recordProblems(values({ kind: "adjustment", amount: "1" }), "2026-07-29", "USD")).toEqual({
      notes: "Please add a note that says why.",
    });
    expect(
      recordProblems(values({ kind: "adjustment", amount: "1", staff_notes: "From the fund" }), "2026-07-29", "USD"),
    ).toEqual({});
  });

  it("has a key of its own, also without randomUUID", () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(newIdempotencyKey()).toMatch(uuid);
    const own = crypto.randomUUID;
    Object.defineProperty(crypto, "randomUUID", { value: undefined, configurable: true });
    expect(newIdempotencyKey()).toMatch(uuid);
    Object.defineProperty(crypto, "randomUUID", { value: own, configurable: true });
  });
});

describe("words", () => {
  it("confirms what was recorded in the portal's usual words", () => {
    expect(recorded("payment", 50_000, 112_050, "USD")).toBe(
      "Payment of $500 recorded successfully. Remaining balance: $1,120.50",
    );
    expect(recorded("refund", 50, 0, "USD")).toBe("Refund of $0.50 recorded successfully. Remaining balance: $0");
  });

  it("writes amounts with their sign, and due dates", () => {
    expect([signed(50_000, "USD"), signed(-12_050, "USD")]).toEqual(["+$500", "−$120.50"]);
    expect(dueText(plan())).toBe("Due Aug 31, 2026");
    expect(dueText(plan({ badge: "overdue" }))).toBe("Was due Aug 31, 2026");
    expect(dueText(plan({ due_date: null }))).toBe("No due date");
  });

  it("rounds percentages down", () => {
    expect(paidShare({ total_users: 132, paid_in_full: 61, no_plan: 14 })).toBe(51);
    expect(paidShare({ total_users: 3, paid_in_full: 0, no_plan: 3 })).toBeNull();
  });

  it("knows which families wait for approval", () => {
    expect(awaitsApproval(family())).toBe(false);
    expect(awaitsApproval(family({ approved_at: null }))).toBe(true);
    expect(awaitsApproval(family({ approved_at: null, refused_at: "2026-07-01T00:00:00Z" }))).toBe(false);
    expect(awaitsApproval(family({ approved_at: null, user_type: "visitor" }))).toBe(false);
  });
});

it("a statement runs from the first row to the last", () => {
  const rows = withRunningBalance(
    [payment({ id: "p2", kind: "void", amount: -50_000 }), payment({ amount: 50_000, voided: true })],
    280_000,
  );
  expect(rows.map(({ payment: { id }, open }) => [id, open])).toEqual([
    ["p1", 230_000],
    ["p2", 280_000],
  ]);
});
