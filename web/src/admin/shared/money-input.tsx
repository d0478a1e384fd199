import type { ComponentProps } from "react";
import { parseMoney, typedMoney } from "../../lib/money";
import { TextInput } from "../../ui/field";
import { useCurrency } from "./family-summary";

type Props = Omit<ComponentProps<"input">, "value" | "onChange" | "type"> & {
  value: string;
  onChange: (typed: string) => void;
};

/** An amount in dollars and cents, formatted when it loses the focus. */
export function MoneyInput({ value, onChange, ...rest }: Props) {
  const currency = useCurrency();
  const sign = currencySign(currency);
  return (
    <div className="relative">
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 start-3.5 grid place-items-center text-muted"
      >
        {sign}
      </span>
      <TextInput
        {...rest}
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
        maxLength={20}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => {
          const cents = parseMoney(value);
          if (cents !== null) onChange(typedMoney(cents));
        }}
        className={`tabular-nums ${sign.length > 1 ? "ps-14" : "ps-8"}`}
      />
    </div>
  );
}

const currencySign = (currency: string) =>
  new Intl.NumberFormat("en-US", { style: "currency", currency })
    .formatToParts(0)
    .find(({ type }) => type === "currency")?.value ?? currency;
