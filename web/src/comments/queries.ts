import { infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import { api, send, type Comment } from "../api/client";
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

/** Shows at once that a comment was posted or deleted, and fetches the comments again. */
export function changeComments(client: QueryClient, videoId: string, { posted, deleted }: Change) {
  const { queryKey } = commentsQuery(videoId);
  const others = (items: Comment[]) => items.filter(({ id }) => id !== deleted && id !== posted?.id);
  client.setQueryData(
    queryKey,
    (now) =>
      now && {
        ...now,
        pages: now.pages.map((page, i) => ({
          ...page,
          items: posted && i === 0 ? [posted, ...others(page.items)] : others(page.items),
        })),
      },
  );
  void client.invalidateQueries({ queryKey });
  void client.invalidateQueries({ queryKey: ["video", videoId] });
}

type Change = { posted?: Comment; deleted?: string };

export const postComment = (videoId: string, content: string) =>
  send(api.POST("/api/videos/{id}/comments", { params: { path: { id: videoId } }, body: { content } }));

export const deleteComment = (id: string) => send(api.DELETE("/api/comments/{id}", { params: { path: { id } } }));

export type ReportCategory = components["schemas"]["CommentReportCategory"];

export const reportComment = (id: string, category: ReportCategory, reason: string | null) =>
  send(api.POST("/api/comments/{id}/report", { params: { path: { id } }, body: { category, reason } }));
