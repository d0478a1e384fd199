import { useInfiniteQuery } from "@tanstack/react-query";
import { LoadMore } from "../lib/load-more";
import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/states";
import { ProductCard } from "./product-card";
import { storeQuery } from "./queries";
import { ShopFrame } from "./shop-frame";
import "../ui/more-icons";

const productGrid = "grid grid-cols-[repeat(auto-fill,minmax(min(100%,16.5rem),1fr))] gap-x-6 gap-y-9";

export default function Store() {
  const store = useInfiniteQuery(storeQuery);
  return (
    <div className="wrap pt-8 md:pt-12">
      <PageMeta title="Camp Store" description="Caps, shirts and more from camp, and how to order them." />
      <Heading />

      {store.data ? (
        <>
          {store.data.items.length > 0 ? (
            <>
              <h2 className="sr-only">Products</h2>
              <ul className={productGrid}>
                {store.data.items.map((product) => (
                  <li key={product.id} className="grid grid-cols-1">
                    <ProductCard product={product} currency={store.data.currency} />
                  </li>
                ))}
              </ul>
              <LoadMore label="Load more products" list={store} />
            </>
          ) : (
            !store.data.shop_url && (
              <EmptyState
                title="Nothing in the store yet"
                text="Looking for something from camp? Ask us."
                picture="/art/product-memorabilia.svg"
              >
                <Link to={paths.contact} className={buttonLook("line")}>
                  Contact Us
                </Link>
              </EmptyState>
            )
          )}
          {store.data.shop_url && (
            <ShopFrame
              address={store.data.shop_url}
              title={store.data.items.length > 0 ? "More in the shop" : "The shop"}
            />
          )}
        </>
      ) : store.isError ? (
        <ErrorState
          title="The store could not be loaded"
          error={store.error}
          retrying={store.isFetching}
          onRetry={store.refetch}
        />
      ) : (
        <Loading label="Loading the store" className={productGrid}>
          {Array.from({ length: 8 }, (_, i) => (
            <div key={i}>
              <Skeleton className="mb-4 aspect-4/3 rounded-md" />
              <Skeleton className="h-5 w-3/4" />
              <Skeleton className="mt-3 w-1/3" />
            </div>
          ))}
        </Loading>
      )}
    </div>
  );
}

const Heading = () => (
  <>
    <h1>Camp Store</h1>
    <p className="mt-3 mb-8 max-w-[56ch] text-lg text-muted">
      Something from camp to wear, use or keep. Tell us what you’d like and we’ll get it to you.
    </p>
  </>
);

/** The page without its products. */
export const Shell = () => (
  <div className="wrap pt-8 md:pt-12">
    <Heading />
  </div>
);
