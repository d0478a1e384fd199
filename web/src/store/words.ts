import type { Product } from "../api/client";

export const categoryName: Record<Product["category"], string> = {
  clothing: "Clothing",
  accessories: "Accessories",
  equipment: "Equipment",
  memorabilia: "Memorabilia",
  digital: "Digital",
};

/** The placeholder for a product without a picture: a package in the color of its category. */
export const artOf = ({ category }: Pick<Product, "category">) => `/art/product-${category}.svg`;
