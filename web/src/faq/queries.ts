import { queryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";

export const faqQuery = queryOptions({
  queryKey: ["faq"],
  queryFn: ({ signal }) => send(api.GET("/api/faq", { params: { query: { limit: 100 } }, signal })),
  select: ({ items }) => items,
});

export const countView = (id: string) => send(api.POST("/api/faq/{id}/views", { params: { path: { id } } }));
