import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";
import { firstAnswer } from "../api/first-answers";
import type { components } from "../api/schema.gen";

type Page = components["schemas"]["Store"];

export const storeQuery = infiniteQueryOptions({
  queryKey: ["store"],
  queryFn: ({ pageParam, signal }) =>
    send(api.GET("/api/store", { params: { query: pageParam ? { cursor: pageParam } : {} }, signal })),
  initialPageParam: "",
  ...firstAnswer("/api/store", (page: Page) => ({ pages: [page], pageParams: [""] })),
  getNextPageParam: ({ next }) => next,
  select: ({ pages }) => ({ ...pages[0]!, items: pages.flatMap(({ items }) => items) }),
});
