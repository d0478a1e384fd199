import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { api, isApiError } from "../../../api/client";
import type { components } from "../../../api/schema.gen";
import { asStaff } from "../../shared/session";

export type Upload = components["schemas"]["Upload"];

/** Files that do not belong to a video yet, or are not ready to watch. */
export const uploadsQuery = queryOptions({
  queryKey: ["admin", "uploads"],
  queryFn: ({ signal }) => asStaff(api.GET("/api/admin/uploads", { signal })),
  staleTime: 1_000,
});

type Read = { state: { data?: { items: Upload[] } | undefined } };

/** How soon to ask again: soon while the server works on a file, occasionally while one is on its way. */
export function uploadsInterval({ state }: Read) {
  const states = state.data?.items.map((upload) => upload.state) ?? [];
  if (states.some((one) => one === "waiting" || one === "converting")) return 2_000;
  return states.includes("uploading") ? 10_000 : 30_000;
}

export const uploadsChanged = (client: QueryClient) =>
  Promise.all(["uploads", "videos"].map((part) => client.invalidateQueries({ queryKey: ["admin", part] })));

export const retryUpload = (id: string) =>
  asStaff(api.POST("/api/admin/uploads/{id}/retry", { params: { path: { id } } }));

const endpoint = "/api/admin/uploads";
export const addressOfUpload = (id: string) => `${endpoint}/${id}`;

/**
 * Announces a file to the server and returns the id of its upload. A refusal explains itself, for example a lack of
 * space.
 */
export async function createUpload({ name, type, size }: File) {
  const metadata = { filename: name, ...(type ? { filetype: type } : {}) };
  const answer = await tus("POST", endpoint, {
    "Upload-Length": String(size),
    "Upload-Metadata": Object.entries(metadata)
      .map(([key, value]) => `${key} ${base64(value)}`)
      .join(","),
  });
  const id = answer.headers.get("Location")?.replace(/\/$/, "").split("/").at(-1);
  if (!id) throw new Error("The answer names no upload.");
  return id;
}

/** Deletes an upload with everything that was sent. An upload that is already gone counts as deleted. */
export async function removeUpload(id: string) {
  try {
    await tus("DELETE", addressOfUpload(id));
  } catch (error) {
    if (!isApiError(error) || ![404, 410].includes(error.status)) throw error;
  }
}

/** What the resumable upload protocol requires of each request. */
const tus = (method: string, path: string, headers: Record<string, string> = {}) =>
  asStaff<Response>(
    asCall(
      fetch(
        new Request(new URL(path, location.origin), {
          method,
          headers: { "Tus-Resumable": "1.0.0", ...headers },
          credentials: "same-origin",
        }),
      ),
    ),
  );

async function asCall(request: Promise<Response>) {
  const response = await request;
  const error: unknown = response.ok ? undefined : await response.json().catch(() => undefined);
  return { data: response, error, response };
}

/** The error for a request that `fetch` did not make. If the session has ended, it asks to sign in again. */
export const failureOf = (status: number, body: string) =>
  asStaff<Response>(asCall(Promise.resolve(new Response(body, { status })))).catch((error: unknown) => error);

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
