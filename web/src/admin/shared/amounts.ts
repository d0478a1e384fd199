import { money, parseMoney, typedMoney } from "../../lib/money";

/** The largest amount that the portal accepts, in cents. */
export const maxAmount = 100_000_000;

/** Matches any text that is written like an amount, however large. */
const wellFormed = /^[-−]?[$€£₪]?(\d{1,3}(,\d{3})+|\d+)(\.\d{0,2})?$/;

/** Why the typed text is not a valid amount. Null if it is valid or empty. */
export function amountProblem(typed: string, currency: string): string | null {
  const text = typed.replace(/\s/g, "");
  const cents = parseMoney(text);
  if (cents === null ? wellFormed.test(text) : Math.abs(cents) > maxAmount)
    return `Please enter an amount up to ${money(maxAmount, currency)}.`;
  if (cents !== null || text === "") return null;
  return `Please enter ${currencyName(currency)} with at most two decimals, for example ${typedMoney(280_000)}.`;
}

const currencyName = (currency: string) =>
  new Intl.NumberFormat("en-US", { style: "currency", currency, currencyDisplay: "name" })
    .formatToParts(2)
    .find(({ type }) => type === "currency")?.value ?? currency;
