import { queryOptions } from "@tanstack/react-query";
import { api, send, type Faq } from "../api/client";
import { firstAnswer } from "../api/first-answers";

export const faqQuery = queryOptions({
  queryKey: ["faq"],
  queryFn: ({ signal }) => send(api.GET("/api/faq", { params: { query: { limit: 100 } }, signal })),
  ...firstAnswer<{ items: Faq[]; next?: string | null }>("/api/faq?limit=100"),
  select: ({ items }) => items,
});

export const countView = (id: string) => send(api.POST("/api/faq/{id}/views", { params: { path: { id } } }));
