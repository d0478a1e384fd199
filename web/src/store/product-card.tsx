import { useState } from "react";
import type { Product } from "../api/client";
import { money } from "../lib/money";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Badge } from "../ui/badge";
import { buttonLook } from "../ui/button";
import { OwnLines } from "../ui/own-lines";
import { TwoScripts } from "../ui/two-scripts";
import { artOf, categoryName } from "./words";

export function ProductCard({ product, currency }: { product: Product; currency: string }) {
  const soldOut = product.stock_quantity <= 0;
  return (
    <article className="flex flex-col">
      <div className="relative mb-3.5">
        <Pictures product={product} />
        <div className="pointer-events-none absolute start-3 top-3 flex flex-wrap gap-1.5 pe-3">
          {product.is_new && <Badge tone="new">New</Badge>}
          {product.is_bestseller && <Badge tone="dark">Bestseller</Badge>}
          {product.is_featured && <Badge tone="info">Featured</Badge>}
        </div>
      </div>
      <p className="text-xs text-muted">{categoryName[product.category]}</p>
      <h3 className="mt-0.5 text-[1.25rem]">
        <TwoScripts>{product.title}</TwoScripts>
      </h3>
      {product.description && (
        <p className="mt-1.5 text-muted">
          <OwnLines text={product.description} />
        </p>
      )}
      <p className="mt-auto flex flex-wrap items-center gap-3 pt-3 text-lg font-medium tabular-nums">
        {money(product.price, currency)}
        {soldOut && <Badge tone="bad">Out of stock</Badge>}
      </p>
      <Link to={paths.order(product.title)} className={buttonLook("line", "mt-3")}>
        Contact us to order <span className="sr-only">{product.title}</span>
      </Link>
    </article>
  );
}

/** All pictures of a product, in a row that scrolls by swiping or with the arrow keys. */
function Pictures({ product }: { product: Product }) {
  const { title, images } = product;
  const [broken, setBroken] = useState<string[]>([]);
  const shown = images.filter(({ id }) => !broken.includes(id));
  const frame = "aspect-4/3 w-full rounded-md bg-sunk object-cover";

  if (shown.length === 0) {
    return <img src={artOf(product)} alt="" width={640} height={480} loading="lazy" className={frame} />;
  }
  const pictures = shown.map((image) => (
    <img
      key={image.id}
      src={image.thumb_url}
      srcSet={`${image.thumb_url} 480w, ${image.image_url} 1600w`}
      sizes="(width < 30rem) 92vw, 18rem"
      alt={image.alt_text}
      width={480}
      height={360}
      loading="lazy"
      decoding="async"
      onError={() => setBroken((all) => [...all, image.id])}
      className={frame}
    />
  ));
  if (shown.length === 1) return pictures;
  return (
    <>
      {/* Focusable, so that the keyboard can scroll it. */}
      <ul
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={`Pictures of ${title}`}
        className="flex snap-x snap-mandatory overflow-x-auto rounded-md"
      >
        {pictures.map((picture) => (
          <li key={picture.key} className="w-full shrink-0 snap-start">
            {picture}
          </li>
        ))}
      </ul>
      <Badge tone="dark" className="pointer-events-none absolute end-2.5 bottom-2.5">
        {shown.length} pictures
      </Badge>
    </>
  );
}
