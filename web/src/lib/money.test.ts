import { describe, expect, it } from "vitest";
import { parseMoney, typedMoney } from "./money";

describe("typed money", () => {
  it.each([
    ["2800", 280_000],
    ["2,800", 280_000],
    ["$2,800.00", 280_000],
    [" 1 250.5 ", 125_050],
    [".5", 50],
    ["0", 0],
    ["12.", 1_200],
    ["-50", -5_000],
    ["−0.01", -1],
    ["1,000,000", 100_000_000],
    // Amounts that floating point gets wrong.
    ["19.99", 1_999],
    ["1.15", 115],
    ["8.2", 820],
    ["4.35", 435],
  ])("%s is %i cents", (typed, cents) => expect(parseMoney(typed)).toBe(cents));

  it.each(["", " ", ".", "$", "-", "abc", "1.234", "12,50", "1,00", "1e5", "1.2.3", "--5", "5-", "9".repeat(20)])(
    "%j is no amount",
    (typed) => expect(parseMoney(typed)).toBeNull(),
  );

  it.each([0, 1, 99, 100, 12_345, 280_000, -5_050, 100_000_000])(
    "%i cents stand in an input as what is read back",
    (cents) => {
      expect(parseMoney(typedMoney(cents))).toBe(cents);
    },
  );

  it("is shown with cents", () => {
    expect(typedMoney(280_000)).toBe("2,800.00");
    expect(typedMoney(-5)).toBe("-0.05");
  });
});
