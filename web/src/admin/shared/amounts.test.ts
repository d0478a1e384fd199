import { describe, expect, it } from "vitest";
import { amountProblem } from "./amounts";

describe("what was typed as an amount", () => {
  it.each(["2,800", "2,800.00", "$12.5", "0", "-3", "1,000,000", ""])("%j is one, or nothing yet", (typed) =>
    expect(amountProblem(typed, "USD")).toBeNull(),
  );

  it.each(["2,800.005", "1e3", "12,50", "abc", "1.2.3"])("%j is none, and it says how one is written", (typed) =>
    expect(amountProblem(typed, "USD")).toBe(
      "Please enter US dollars with at most two decimals, for example 2,800.00.",
    ),
  );

  it.each(["1,000,000.01", "99999999999999999", "-2000000"])("%j is too large, and it says how much may be", (typed) =>
    expect(amountProblem(typed, "USD")).toBe("Please enter an amount up to $1,000,000."),
  );

  it("is reported in the camp's own currency", () => {
    expect(amountProblem("1.234", "CAD")).toBe(
      "Please enter Canadian dollars with at most two decimals, for example 2,800.00.",
    );
    expect(amountProblem("1.234", "EUR")).toContain("euros");
  });
});
