import { act } from "@testing-library/react";
import type { UploadOptions } from "tus-js-client";
import type { Upload } from "../admin/videos/uploads/queries";

/** Stands in for the upload protocol's client, so that a test decides how each upload goes. */
export class FakeSender {
  static all: FakeSender[] = [];
  running = false;

  constructor(
    readonly file: File,
    readonly options: UploadOptions,
  ) {
    FakeSender.all.push(this);
  }

  start() {
    this.running = true;
  }
  async abort() {
    this.running = false;
  }

  static get last() {
    return FakeSender.all.at(-1)!;
  }
  progress(sent: number) {
    act(() => this.options.onProgress?.(sent, this.file.size));
  }
  arrive() {
    act(() => this.options.onSuccess?.({ lastResponse: {} as never }));
  }
  /** Without a status, the connection was lost. */
  async fail(status?: number, problem: object = {}) {
    const originalResponse = status ? { getStatus: () => status, getBody: () => JSON.stringify(problem) } : null;
    await act(async () => this.options.onError?.(Object.assign(new Error("tus"), { originalResponse }) as never));
  }
}

export const film = (name = "Color War.mp4", size = 4_000_000, type = "video/mp4") =>
  new File([new Uint8Array(size)], name, { type });

/** The server's answer to the announcement of a file. */
export const created = (id: string) => () =>
  new Response(null, { status: 201, headers: { location: `http://camp.test/api/admin/uploads/${id}` } });

/** What the server knows about files on their way. */
export const uploads = (...items: Upload[]) => ({ items, used_bytes: 0, quota_bytes: 40_000_000_000 });

export const upload = (change: Partial<Upload> = {}): Upload => ({
  id: "u1",
  video_id: null,
  file_name: "Color War.mp4",
  size_bytes: 4_000_000,
  received_bytes: 1_720_000,
  state: "uploading",
  progress: 0,
  problem: null,
  can_retry: false,
  log: null,
  is_trim: false,
  renditions: [],
  created_at: "2026-07-29T20:00:00Z",
  uploaded_by: null,
  ...change,
});
