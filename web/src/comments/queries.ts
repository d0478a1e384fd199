import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, send } from "../api/client";
import { pollInterval } from "../api/queries";
import type { components } from "../api/schema.gen";

export const commentsQuery = (videoId: string) =>
  infiniteQueryOptions({
    queryKey: ["comments", videoId],
    queryFn: ({ pageParam, signal }) =>
      send(
        api.GET("/api/videos/{id}/comments", {
          params: { path: { id: videoId }, query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    refetchInterval: pollInterval,
  });

export const postComment = (videoId: string, content: string) =>
  send(api.POST("/api/videos/{id}/comments", { params: { path: { id: videoId } }, body: { content } }));

export const deleteComment = (id: string) => send(api.DELETE("/api/comments/{id}", { params: { path: { id } } }));

export type ReportCategory = components["schemas"]["CommentReportCategory"];

export const reportComment = (id: string, category: ReportCategory, reason: string | null) =>
  send(api.POST("/api/comments/{id}/report", { params: { path: { id } }, body: { category, reason } }));
