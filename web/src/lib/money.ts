import { numbers } from "./format";

const amount = /^([-−])?[$€£₪]?(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{0,2}))?$/;

/** Parses typed dollars into exact cents: "$1,250.5" is 125050. Null for anything else, including a third decimal. */
export function parseMoney(typed: string): number | null {
  const [all, minus, whole = "", fraction = ""] = amount.exec(typed.replace(/\s/g, "")) ?? [];
  if (all === undefined || (whole === "" && fraction === "")) return null;
  const cents = Number(whole.replaceAll(",", "")) * 100 + Number(fraction.padEnd(2, "0"));
  if (!Number.isSafeInteger(cents)) return null;
  return minus && cents !== 0 ? -cents : cents;
}

/** Cents as shown in an input: "2,800.00". */
export function typedMoney(cents: number) {
  const [whole, fraction] = [Math.floor(Math.abs(cents) / 100), Math.abs(cents) % 100];
  return `${cents < 0 ? "-" : ""}${whole.toLocaleString("en-US")}.${String(fraction).padStart(2, "0")}`;
}

/** Integer cents as money. Whole amounts have no decimals. */
export function money(cents: number, currency = "USD") {
  const fraction = cents % 100 === 0 ? 0 : 2;
  const options = {
    style: "currency",
    currency,
    minimumFractionDigits: fraction,
    maximumFractionDigits: fraction,
  } as const;
  return numbers(options).format(cents / 100);
}
