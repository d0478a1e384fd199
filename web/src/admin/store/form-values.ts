import { parseMoney, typedMoney } from "../../lib/money";
import { amountProblem, maxAmount } from "../shared/amounts";
import type { AdminProduct, Category, NewProduct, ProductPatch } from "./queries";

/** The values of the product form. */
export type FormValues = {
  title: string;
  description: string;
  price: string;
  category: Category | "";
  stock_quantity: string;
  is_new: boolean;
  is_bestseller: boolean;
  is_featured: boolean;
  is_active: boolean;
};

export const valuesOf = (product: AdminProduct | null, category: Category | ""): FormValues => ({
  title: product?.title ?? "",
  description: product?.description ?? "",
  price: product ? typedMoney(product.price) : "",
  category: product?.category ?? category,
  stock_quantity: product ? String(product.stock_quantity) : "",
  is_new: product?.is_new ?? false,
  is_bestseller: product?.is_bestseller ?? false,
  is_featured: product?.is_featured ?? false,
  is_active: product?.is_active ?? true,
});

export const missing = "Please fill in all required fields.";
const bounds = "Please enter a price from 0 to 1,000,000.";
const badStock = "Please enter a stock from 0 to 1,000,000.";
const million = 1_000_000;

/** Names both limits, like the server. */
const priceProblem = (typed: string, currency: string) => {
  const problem = amountProblem(typed, currency);
  return problem && !problem.includes("up to") ? problem : bounds;
};

const wholeNumber = (typed: string) =>
  /^\d{1,7}$/.test(typed.replaceAll(",", "").trim()) ? Number(typed.replaceAll(",", "")) : null;

/** Validation before the request, by field. */
export function problemsOf(values: FormValues, currency: string): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const name of ["title", "price", "category", "stock_quantity"] as const) {
    if (!values[name].trim()) problems[name] = missing;
  }
  const price = parseMoney(values.price);
  if (!problems["price"] && (price === null || price < 0 || price > maxAmount))
    problems["price"] = priceProblem(values.price, currency);
  const stock = wholeNumber(values.stock_quantity);
  if (!problems["stock_quantity"] && (stock === null || stock > million)) problems["stock_quantity"] = badStock;
  return problems;
}

/** The values as the server expects them. Call `problemsOf` first. */
export function productOf(values: FormValues): NewProduct & { is_active: boolean } {
  return {
    ...values,
    title: values.title.trim(),
    description: values.description.trim(),
    price: parseMoney(values.price) ?? 0,
    category: values.category || "clothing",
    stock_quantity: wholeNumber(values.stock_quantity) ?? 0,
  };
}

/** Only the changed values, so that nobody undoes what they did not touch. */
export function changesOf(values: FormValues, product: AdminProduct): Omit<ProductPatch, "version"> {
  const mine = productOf(values);
  const base = productOf(valuesOf(product, ""));
  const keys = Object.keys(mine) as (keyof typeof mine)[];
  return Object.fromEntries(keys.filter((key) => mine[key] !== base[key]).map((key) => [key, mine[key]]));
}
