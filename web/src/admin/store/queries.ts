import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api, type Product } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { asStaff } from "../shared/session";
import { nullIfNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type AdminProduct = Schemas["Page_AdminProduct"]["items"][number];
export type NewProduct = Schemas["NewProduct"];
export type ProductPatch = Schemas["ProductPatch"];
export type Category = Product["category"];
type ProductFilter = { q?: string; category?: Category; sort?: ProductOrder };
export type ProductOrder = "newest" | "title" | "price" | "stock";

const page = (filter: ProductFilter, limit: number, cursor: string, signal?: AbortSignal) =>
  asStaff(
    api.GET("/api/admin/products", { params: { query: { ...filter, limit, ...(cursor ? { cursor } : {}) } }, signal }),
  );

export const productsQuery = (filter: ProductFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "products", filter],
    queryFn: ({ pageParam, signal }) => page(filter, 24, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const productStatsQuery = queryOptions({
  queryKey: ["admin", "product-stats"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/products/stats", { signal })),
});

const at = (id: string) => ({ params: { path: { id } } });

export const readProduct = ({ id }: AdminProduct) =>
  nullIfNotFound(asStaff(api.GET("/api/admin/products/{id}", at(id))));
export const addProduct = (key: string, body: NewProduct) =>
  asStaff(api.POST("/api/admin/products", { params: { header: { "Idempotency-Key": key } }, body }));
export const changeProduct = (id: string, body: ProductPatch) =>
  asStaff(api.PATCH("/api/admin/products/{id}", { ...at(id), body }));
export const deleteProduct = (id: string) => asStaff(api.DELETE("/api/admin/products/{id}", at(id)));
export const orderImages = (id: string, ids: string[]) =>
  asStaff(api.PUT("/api/admin/products/{id}/images/order", { ...at(id), body: { ids } }));

export const removeImage = (id: string, imageId: string) =>
  asStaff(api.DELETE("/api/admin/products/{id}/images/{image_id}", { params: { path: { id, image_id: imageId } } }));

/** Uploads a picture and reports the progress in percent. `fetch` cannot do that. */
export const addImage = (id: string, file: File, onProgress: (percent: number) => void): Promise<AdminProduct> =>
  asStaff(upload(id, file, onProgress));

const uploadTimeout = 120_000;

function upload(id: string, file: File, onProgress: (percent: number) => void) {
  return new Promise<{ data?: AdminProduct; error?: unknown; response: Response }>((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/admin/products/${encodeURIComponent(id)}/images`);
    request.setRequestHeader("Content-Type", file.type);
    request.timeout = uploadTimeout;
    request.upload.addEventListener("progress", ({ loaded, total }) => total > 0 && onProgress((100 * loaded) / total));
    request.addEventListener("load", () => {
      const response = new Response(null, { status: request.status, headers: retryAfter(request) });
      const body = parsed(request.responseText);
      done(response.ok ? { data: body as AdminProduct, response } : { error: body, response });
    });
    for (const end of ["error", "timeout", "abort"]) request.addEventListener(end, () => fail(new TypeError(end)));
    request.send(file);
  });
}

function retryAfter(request: XMLHttpRequest): Record<string, string> {
  const wait = request.getResponseHeader("Retry-After");
  return wait ? { "Retry-After": wait } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Call after any change to a product. Refetches the staff list and what families see. */
export function useProductsChanged() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ["store"] });
    return Promise.all(
      ["products", "product-stats", "dashboard"].map((part) => client.invalidateQueries({ queryKey: ["admin", part] })),
    );
  };
}
