import type { Filters } from "../../lib/filters";
import { Select } from "../../ui/field";

/** The name of each order. The first one is the default, and is not in the URL. */
type Names<Order extends string> = Record<Order, string>;

const ordersOf = <Order extends string>(names: Names<Order>) => Object.keys(names) as Order[];

/** The order in the URL, unless it is the default. */
export function readSort<Order extends string>(params: URLSearchParams, names: Names<Order>): { sort?: Order } {
  const sort = ordersOf(names)
    .slice(1)
    .find((one) => one === params.get("sort"));
  return sort ? { sort } : {};
}

type Props<Order extends string> = { names: Names<Order>; order: { sort?: Order }; set: Filters["set"] };

export function SortSelect<Order extends string>({ names, order, set }: Props<Order>) {
  const [usual, ...others] = ordersOf(names);
  return (
    <Select aria-label="Sort by" value={order.sort ?? ""} onChange={({ target }) => set({ sort: target.value })}>
      <option value="">{names[usual!]}</option>
      {others.map((one) => (
        <option key={one} value={one}>
          {names[one]}
        </option>
      ))}
    </Select>
  );
}
