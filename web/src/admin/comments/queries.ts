import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { ignoreNotFound } from "../shared/missing-records";
import { asStaff } from "../shared/session";

type Schemas = components["schemas"];
export type AdminComment = Schemas["Page_AdminComment"]["items"][number];
export type ReportReason = Schemas["ReportReason"];
export type CommentCounts = Schemas["CommentCounts"];
export type CommentFilter = keyof CommentCounts;

export const queueQuery = (filter: CommentFilter, q: string) =>
  infiniteQueryOptions({
    queryKey: ["admin", "comments", "queue", filter, q],
    queryFn: ({ pageParam, signal }) =>
      asStaff(
        api.GET("/api/admin/comments", {
          params: { query: { filter, limit: 100, ...(q ? { q } : {}), ...(pageParam ? { cursor: pageParam } : {}) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const commentCountsQuery = (q: string) =>
  queryOptions({
    queryKey: ["admin", "comments", "counts", q],
    queryFn: ({ signal }) =>
      asStaff(api.GET("/api/admin/comments/counts", { params: { query: q ? { q } : {} }, signal })),
    placeholderData: keepPreviousData,
  });

/** All comments on a video. Those that need a decision come first, however old they are. */
export const videoCommentsQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "comments", id],
    queryFn: async ({ signal }) => {
      const all: AdminComment[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 100, ...(cursor ? { cursor } : {}) };
        const { items, next } = await asStaff(
          api.GET("/api/admin/videos/{id}/comments", { params: { path: { id }, query }, signal }),
        );
        all.push(...items);
        cursor = next ?? undefined;
      } while (cursor && all.length < 5_000);
      return all.toSorted((a, b) => urgency(b) - urgency(a));
    },
  });

export const needsReview = (comment: AdminComment) => comment.reports > 0 && !comment.hidden;
const urgency = (comment: AdminComment) => (comment.held ? 2 : needsReview(comment) ? 1 : 0);

const at = (id: string) => ({ params: { path: { id } } });

const calls = {
  approve: ({ id }: AdminComment) => asStaff(api.POST("/api/admin/comments/{id}/approve", at(id))),
  hide: ({ id }: AdminComment) => asStaff(api.POST("/api/admin/comments/{id}/hide", at(id))),
  show: ({ id }: AdminComment) => asStaff(api.POST("/api/admin/comments/{id}/show", at(id))),
  keep: ({ id, reasons, created_at }: AdminComment) =>
    asStaff(
      api.PUT("/api/admin/comments/{id}/kept", {
        ...at(id),
        body: { reported_until: reasons.at(-1)?.created_at ?? created_at },
      }),
    ),
  reopen: ({ id }: AdminComment) => asStaff(api.DELETE("/api/admin/comments/{id}/kept", at(id))),
};
export type Action = keyof typeof calls;

/**
 * "Keep" closes the reports that were shown with the comment. If there are newer reports, it is refused as a conflict.
 */
export const moderate = (comment: AdminComment, action: Action) => calls[action](comment);
/** If the author or somebody else has already deleted the comment, that is not an error. */
export const deleteComment = (id: string) => ignoreNotFound(asStaff(api.DELETE("/api/admin/comments/{id}", at(id))));

/** Call after a comment changed: refetches comments, the counts of videos and what families see. */
export function useCommentsChanged() {
  const client = useQueryClient();
  return () => {
    for (const key of ["videos", "video", "comments"]) void client.invalidateQueries({ queryKey: [key] });
    return Promise.all(
      ["comments", "videos", "counts", "dashboard"].map((part) =>
        client.invalidateQueries({ queryKey: ["admin", part] }),
      ),
    );
  };
}
