import { useRef, useState } from "react";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { number } from "../../lib/format";
import { money } from "../../lib/money";
import { artOf, categoryName } from "../../store/words";
import { Badge } from "../../ui/badge";
import { Button, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { Switch } from "../../ui/field";
import { Loading, Skeleton } from "../../ui/states";
import { TwoScripts } from "../../ui/two-scripts";
import { errorToast, toast } from "../../ui/toast";
import { useCurrency } from "../shared/family-summary";
import { requiresSignIn } from "../shared/session";
import { changeProduct, useProductsChanged, type AdminProduct } from "./queries";

type Props = { product: AdminProduct; onEdit: () => void; onDelete: () => void };
type Flag = { is_featured: boolean } | { is_active: boolean };

/** A product, with its stock and whether families can see it. */
export function ProductCard({ product, onEdit, onDelete }: Props) {
  const currency = useCurrency();
  const { flag, featured } = useFlags(product);
  const of = <span className="sr-only"> {product.title}</span>;

  return (
    <article className="sheet flex w-full min-w-0 flex-col overflow-clip max-sm:flex-row max-sm:flex-wrap">
      <ProductPicture product={product} />
      <div className="flex min-w-0 flex-1 flex-col px-4 pt-3 max-sm:basis-36 max-sm:ps-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="text-xs text-muted">{categoryName[product.category]}</span>
          {product.is_active ? (
            <Badge tone="good" icon="check">
              Active
            </Badge>
          ) : (
            <Badge>Hidden</Badge>
          )}
        </div>
        <h3 className="mt-1 text-[1.2rem]">
          <TwoScripts>{product.title}</TwoScripts>
        </h3>
        <p className="mt-auto flex flex-wrap items-baseline justify-between gap-x-3 pt-2 tabular-nums">
          <span className="text-lg font-medium">{money(product.price, currency)}</span>
          {product.stock_quantity > 0 ? (
            <span className="text-sm text-muted">{number(product.stock_quantity)} in stock</span>
          ) : (
            <Badge tone="bad">Out of stock</Badge>
          )}
        </p>
        <Switch
          label={<>Featured{of}</>}
          checked={featured}
          onChange={(event) => flag.mutate({ is_featured: event.target.checked })}
          className="mt-1"
        />
      </div>
      <div className="flex items-center border-line max-sm:basis-full px-1.5 py-1 sm:border-t">
        <Button
          look="quiet"
          icon="eye"
          busy={flag.isPending && "is_active" in flag.variables}
          onClick={() => flag.mutate({ is_active: !product.is_active })}
        >
          {product.is_active ? "Hide" : "Show"}
          {of}
        </Button>
        <IconButton icon="edit" label={`Edit ${product.title}`} title="Edit" onClick={onEdit} className="ms-auto" />
        <IconButton icon="trash" danger label={`Delete ${product.title}`} title="Delete" onClick={onDelete} />
      </div>
    </article>
  );
}

/** The switches on the card. Each change is saved at once. */
function useFlags(product: AdminProduct) {
  const productsChanged = useProductsChanged();
  const saved = useRef(product.version);
  const flag = useAction({
    // Sends one request at a time, so that the second one has the version that the first one created.
    scope: { id: `product ${product.id}` },
    mutationFn: (change: Flag) =>
      changeProduct(product.id, { version: Math.max(product.version, saved.current), ...change }),
    onSuccess: async ({ version }, change) => {
      saved.current = version;
      await productsChanged();
      toast({ title: "Product Updated", description: sentence(product.title, change) });
    },
    onError: (error) => {
      if (requiresSignIn(error)) return;
      const elsewhere = isApiError(error, "stale", "not_found");
      if (elsewhere) void productsChanged();
      errorToast(
        elsewhere
          ? "Someone else just changed it. Please check it again."
          : "Failed to update product. Please try again.",
      );
    },
  });
  const featured = flag.isPending && "is_featured" in flag.variables ? flag.variables.is_featured : product.is_featured;
  return { flag, featured };
}

/** The main picture or the drawing of its category, with the badges on top. */
function ProductPicture({ product }: { product: AdminProduct }) {
  const [broken, setBroken] = useState<string | null>(null);
  const image = product.images[0];
  const shown = image && image.id !== broken ? image : null;
  return (
    <div className="relative max-sm:ms-3 max-sm:mt-3 max-sm:w-27 max-sm:self-start max-sm:overflow-clip max-sm:rounded-md">
      <img
        src={shown?.thumb_url ?? artOf(product)}
        alt={shown?.alt_text ?? ""}
        width={480}
        height={360}
        loading="lazy"
        onError={() => shown && setBroken(shown.id)}
        className={cx(
          "aspect-square w-full bg-sunk object-cover sm:aspect-4/3",
          !product.is_active && "opacity-55 grayscale",
        )}
      />
      <div className="pointer-events-none absolute start-1.5 top-1.5 flex flex-wrap gap-1 sm:start-3 sm:top-3 sm:gap-1.5 sm:pe-3">
        {product.is_new && <Badge tone="new">New</Badge>}
        {product.is_bestseller && <Badge tone="dark">Bestseller</Badge>}
        {product.is_featured && (
          <Badge tone="info" icon="star">
            Featured
          </Badge>
        )}
      </div>
    </div>
  );
}

function sentence(title: string, change: Flag) {
  if ("is_active" in change)
    return change.is_active ? `${title} is shown in the store.` : `${title} is hidden from the store.`;
  return change.is_featured ? `${title} is featured.` : `${title} is no longer featured.`;
}

export const productGrid = "grid grid-cols-[repeat(auto-fill,minmax(min(100%,15.5rem),1fr))] gap-4";

export const ProductsSkeleton = () => (
  <Loading label="Loading products" className={productGrid}>
    {Array.from({ length: 8 }, (_, i) => (
      <div key={i} className="sheet overflow-clip">
        <Skeleton className="aspect-4/3 rounded-none max-sm:aspect-3/1" />
        <div className="grid gap-3 p-4">
          <Skeleton className="w-1/3" />
          <Skeleton className="h-5 w-3/4" />
          <Skeleton className="h-5 w-1/2" />
        </div>
      </div>
    ))}
  </Loading>
);
