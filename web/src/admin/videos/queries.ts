import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api, type AdminVideo } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { fileBody } from "../shared/file-body";
import { asStaff } from "../shared/session";
import { nullIfNotFound } from "../shared/missing-records";

type Schemas = components["schemas"];
export type NewVideo = Schemas["NewVideo"];
export type NewGalleryVideo = Schemas["NewGalleryVideo"];
export type VideoPatch = Schemas["VideoPatch"];
export type VideoStatus = Schemas["VideoStatus"];
export type VideoType = Schemas["VideoType"];
export type VideoCounts = Schemas["VideoCounts"];
export type Deliveries = Schemas["Deliveries"];
export type CaptionLanguage = Schemas["CaptionLanguage"];
type Captions = Schemas["AdminCaptions"];

export type Attention = "failed_mails" | "reported_comments" | "held_comments";
export type VideoOrder = "newest" | "views" | "title";
export const videoOrders: Record<VideoOrder, string> = {
  newest: "Newest first",
  views: "Most viewed",
  title: "By title",
};
type AdminVideoFilter = {
  q?: string;
  status?: VideoStatus;
  attention?: Attention;
  collection?: "current" | "archive";
  year?: number;
  sort?: VideoOrder;
};

const page = (filter: AdminVideoFilter, limit: number, cursor: string, signal?: AbortSignal) =>
  asStaff(
    api.GET("/api/admin/videos", { params: { query: { ...filter, limit, ...(cursor ? { cursor } : {}) } }, signal }),
  );

/**
 * Videos of every status. The last added come first, unless another order is requested. A search loads larger pages, so
 * that its count is exact.
 */
export const adminVideosQuery = (filter: AdminVideoFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "videos", filter],
    queryFn: ({ pageParam, signal }) => page(filter, filter.q || filter.year ? 100 : 25, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

export const countsQuery = queryOptions({
  queryKey: ["admin", "counts"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/videos/counts", { signal })),
});

/** How many videos of each kind a search finds. */
export const foundQuery = (q: string) =>
  queryOptions({
    queryKey: ["admin", "counts", q],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/videos/counts", { params: { query: { q } }, signal })),
  });

export const galleryYearsQuery = queryOptions({
  queryKey: ["admin", "years"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/videos/years", { signal })),
});

/** The provider and thumbnail of a pasted link. */
export const linkQuery = (url: string) =>
  queryOptions({
    queryKey: ["admin", "link", url],
    queryFn: ({ signal }) => asStaff(api.POST("/api/admin/videos/check-link", { body: { video_url: url }, signal })),
    enabled: url !== "",
    staleTime: Infinity,
    retry: false,
  });

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "deliveries", id],
    queryFn: ({ signal }) =>
      asStaff(api.GET("/api/admin/videos/{id}/deliveries", { params: { path: { id } }, signal })),
  });

const at = (id: string) => ({ params: { path: { id } } });

/** The current video, or null if it was deleted. */
export const readVideo = ({ id }: AdminVideo) => nullIfNotFound(asStaff(api.GET("/api/admin/videos/{id}", at(id))));
export const createVideo = (key: string, body: NewVideo) =>
  asStaff(api.POST("/api/admin/videos", { params: { header: { "Idempotency-Key": key } }, body }));
export const createGalleryVideo = (key: string, body: NewGalleryVideo) =>
  asStaff(api.POST("/api/admin/gallery", { params: { header: { "Idempotency-Key": key } }, body }));
export const editVideo = (id: string, body: VideoPatch) =>
  asStaff(api.PATCH("/api/admin/videos/{id}", { ...at(id), body }));
export const deleteVideo = (id: string) => asStaff(api.DELETE("/api/admin/videos/{id}", at(id)));
export const bulkVideos = (ids: string[], action: "publish" | "delete") =>
  asStaff(api.POST("/api/admin/videos/bulk", { body: { ids, action } }));
export const retryDeliveries = (id: string) => asStaff(api.POST("/api/admin/videos/{id}/deliveries/retry", at(id)));

export const trimVideo = (id: string, body: Schemas["Trim"]) =>
  asStaff(api.POST("/api/admin/videos/{id}/trim", { ...at(id), body }));

const ofLanguage = (id: string, language: CaptionLanguage) => ({ params: { path: { id, language } } });
export const removeCaptions = (id: string, language: CaptionLanguage) =>
  asStaff(api.DELETE("/api/admin/videos/{id}/captions/{language}", ofLanguage(id, language)));

/** Sends the file unchanged, because the server detects the encoding. */
export const setCaptions = (id: string, language: CaptionLanguage, file: File): Promise<Captions> =>
  asStaff(
    api.PUT("/api/admin/videos/{id}/captions/{language}", {
      ...ofLanguage(id, language),
      headers: { "Content-Type": "text/vtt" },
      ...fileBody(file),
    }),
  );

/** Sends the picture unchanged. */
export const setPicture = (id: string, file: File): Promise<AdminVideo> =>
  asStaff(
    api.PUT("/api/admin/videos/{id}/picture", {
      params: { path: { id } },
      headers: { "Content-Type": file.type || "image/jpeg" },
      ...fileBody(file),
    }),
  );

export const removePicture = (id: string): Promise<AdminVideo> =>
  asStaff(api.DELETE("/api/admin/videos/{id}/picture", { params: { path: { id } } }));

/** Call after any change to a video. Refetches lists, counts, files without a video, and what families see. */
export function useVideosChanged() {
  const client = useQueryClient();
  return () => {
    for (const key of ["videos", "video"]) void client.invalidateQueries({ queryKey: [key] });
    return Promise.all(
      ["videos", "uploads", "counts", "years", "deliveries", "comments", "dashboard"].map((part) =>
        client.invalidateQueries({ queryKey: ["admin", part] }),
      ),
    );
  };
}
