import { useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useFilters } from "../../lib/filters";
import { categoryName } from "../../store/words";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState } from "../../ui/states";
import { errorToast, toast } from "../../ui/toast";
import { restoreFocus } from "../../ui/focus";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { SortSelect, readSort } from "../shared/sort-select";
import { PageHead } from "../shared/page-head";
import { StatCards } from "../shared/stat-cards";
import { ignoreNotFound } from "../shared/missing-records";
import { ProductCard, ProductsSkeleton, productGrid } from "./product-card";
import { ProductDialog } from "./product-dialog";
import {
  deleteProduct,
  productsQuery,
  productStatsQuery,
  useProductsChanged,
  type AdminProduct,
  type Category,
  type ProductOrder,
} from "./queries";

type Open = { what: "add"; product: null } | { what: "edit" | "delete"; product: AdminProduct } | null;

const orders: Record<ProductOrder, string> = {
  newest: "Newest first",
  title: "By title",
  price: "Lowest price",
  stock: "Lowest stock",
};
const categories = Object.keys(categoryName) as Category[];

/** The products of the camp store. */
export default function StoreManagement() {
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const category = categories.find((one) => one === params.get("category"));
  const order = readSort(params, orders);
  const products = useInfiniteQuery(
    productsQuery({ ...(term ? { q: term } : {}), ...(category ? { category } : {}), ...order }),
  );
  const stats = useQuery(productStatsQuery).data;
  const [open, setOpen] = useState<Open>(null);
  const add = () => setOpen({ what: "add", product: null });

  return (
    <>
      <PageHead title="Store Management" description="What families see in the camp store">
        <Button icon="plus" onClick={add} className="max-sm:w-full">
          Add New Product
        </Button>
      </PageHead>
      <StatCards
        label="Figures"
        stats={[
          { label: "Total Products", value: stats?.total, icon: "bag" },
          { label: "Active Products", value: stats?.active, icon: "check" },
          { label: "Featured", value: stats?.featured, icon: "star" },
          { label: "Total Stock", value: stats?.total_stock, icon: "box" },
        ]}
      />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchBox
          label="Search products"
          placeholder="Search products by title or description..."
          value={term}
          onSearch={(q) => set({ q })}
          className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_18rem]"
        />
        <CollapsedFilters chosen={[category && categoryName[category], order.sort && orders[order.sort]]}>
          <div>
            <SortSelect names={orders} order={order} set={set} />
          </div>
          <Segmented
            label="Filter by category"
            value={category ?? "all"}
            options={[
              { value: "all" as const, label: "All" },
              ...categories.map((value) => ({ value, label: categoryName[value] })),
            ]}
            onChange={(next) => set({ category: next === "all" ? "" : next })}
            className="max-sm:flex-wrap max-sm:[&>button]:px-2.5"
          />
        </CollapsedFilters>
      </div>
      <h2 className="sr-only">Products</h2>
      <Listing
        list={products}
        what="products"
        failed="Failed to load products"
        skeleton={<ProductsSkeleton />}
        empty={
          <EmptyState
            title="No products found matching your criteria."
            text={term || category ? undefined : "The store is empty."}
            picture="/art/product-memorabilia.svg"
          >
            {term || category ? (
              <Button look="line" onClick={() => set({ q: "", category: "" })}>
                Show all products
              </Button>
            ) : (
              <Button icon="plus" onClick={add}>
                Add First Product
              </Button>
            )}
          </EmptyState>
        }
      >
        {(all) => (
          <ul className={productGrid}>
            {all.map((product) => (
              <li key={product.id} className="grid">
                <ProductCard
                  product={product}
                  onEdit={() => setOpen({ what: "edit", product })}
                  onDelete={() => setOpen({ what: "delete", product })}
                />
              </li>
            ))}
          </ul>
        )}
      </Listing>

      {open && open.what !== "delete" && (
        <ProductDialog product={open.product} category={category ?? ""} onClose={() => setOpen(null)} />
      )}
      {open?.what === "delete" && <DeleteProduct product={open.product} onClose={() => setOpen(null)} />}
    </>
  );
}

function DeleteProduct({ product, onClose }: { product: AdminProduct; onClose: () => void }) {
  const productsChanged = useProductsChanged();
  return (
    <ConfirmDialog
      title="Delete this product?"
      name={product.title}
      action="Delete product"
      onClose={onClose}
      failed={() => errorToast("Failed to delete product. Please try again.")}
      onConfirm={async () => {
        await ignoreNotFound(deleteProduct(product.id));
        toast({ title: "Product Deleted", description: "Product has been removed from the store." });
        void productsChanged().then(restoreFocus);
      }}
    >
      Its pictures go with it. This cannot be undone. A hidden product can be shown again later.
    </ConfirmDialog>
  );
}
