import type { Filters } from "../../lib/filters";
import { Select } from "../../ui/field";

/** What each order of a list is called; the first is the usual one and stands in no address. */
type Names<Order extends string> = Record<Order, string>;

const ordersOf = <Order extends string>(names: Names<Order>) => Object.keys(names) as Order[];

/** The order that the address asks for, if it is another than the usual one. */
export function readSort<Order extends string>(params: URLSearchParams, names: Names<Order>): { sort?: Order } {
  const sort = ordersOf(names).slice(1).find((one) => one === params.get("sort"));
  return sort ? { sort } : {};
}

type Props<Order extends string> = { names: Names<Order>; order: { sort?: Order }; set: Filters["set"] };

export function SortSelect<Order extends string>({ names, order, set }: Props<Order>) {
  const [usual, ...others] = ordersOf(names);
  return (
    <Select aria-label="Sort by" value={order.sort ?? ""} onChange={({ target }) => set({ sort: target.value })}>
      <option value="">{names[usual!]}</option>
      {others.map((one) => <option key={one} value={one}>{names[one]}</option>)}
    </Select>
  );
}
