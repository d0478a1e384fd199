import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type DetailedError,
  type HttpRequest,
  type HttpResponse,
  type PreviousUpload,
  Upload,
  type UploadOptions,
  type UrlStorage,
} from "tus-js-client";
import type { components } from "../src/api/schema.gen";
import { call, expect, staff, test } from "./support/camp";
import type { Portal } from "./support/portal";
import type { APIRequestContext } from "@playwright/test";

// Runs the protocol's official client, in its Node version, against everything that the server says it supports.

type Listed = { items: components["schemas"]["Upload"][] };
type Exchange = { method: string; offset: string | undefined; status: number; response: HttpResponse };

const film = readFileSync(join(import.meta.dirname, "../../core/src/seed/media/campfire.mp4"));
const piece = 32 * 1024;

/** Where the client remembers the uploads that it has started. */
function memory(): UrlStorage {
  const all = new Map<string, PreviousUpload>();
  return {
    findAllUploads: async () => [...all.values()],
    findUploadsByFingerprint: async (fingerprint) =>
      [...all].filter(([key]) => key.startsWith(`${fingerprint} `)).map(([, upload]) => upload),
    removeUpload: async (key) => void all.delete(key),
    addUpload: async (fingerprint, upload) => {
      const key = `${fingerprint} ${all.size}`;
      all.set(key, { ...upload, urlStorageKey: key });
      return key;
    },
  };
}

/** A staff member's client, and what it has exchanged with the server. */
async function clientOf(request: APIRequestContext, camp: Portal) {
  await staff({ request }, camp);
  const { cookies } = await request.storageState();
  const exchanges: Exchange[] = [];
  const options: UploadOptions = {
    endpoint: `${camp.url}/api/admin/uploads`,
    headers: { Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
    metadata: { filename: "אש המחנה.mp4", filetype: "video/mp4" },
    chunkSize: piece,
    retryDelays: null,
    onAfterResponse: (sent, response) =>
      void exchanges.push({
        method: sent.getMethod(),
        offset: sent.getHeader("Upload-Offset"),
        status: response.getStatus(),
        response,
      }),
  };

  /** Sends the film and returns the URL of its upload. Throws the client's errors. */
  const send = (more: UploadOptions = {}) =>
    new Promise<string>((done, failed) => {
      const upload = new Upload(film, {
        ...options,
        ...more,
        onSuccess: () => done(upload.url!),
        onError: (error) => failed(error),
      });
      upload.start();
    });

  /** Sends the first piece, stops as if the computer were turned off, and returns the upload's URL. */
  const sendPart = (more: UploadOptions = {}) =>
    new Promise<string>((done, failed) => {
      const upload = new Upload(film, {
        ...options,
        ...more,
        onChunkComplete: () => void upload.abort().then(() => done(upload.url!), failed),
        onError: (error) => failed(error),
      });
      upload.start();
    });

  /** The status of the response that the client failed with. */
  async function refusal(more: UploadOptions) {
    const error = await send(more).then(
      () => null,
      (one: unknown) => one as DetailedError,
    );
    expect(error, "the upload succeeded").not.toBeNull();
    const answer = error?.originalResponse;
    return {
      status: answer?.getStatus(),
      body: answer?.getBody() ?? "",
      header: (name: string) => answer?.getHeader(name),
    };
  }

  const head = (url: string) => request.fetch(url, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } });
  const received = async (url: string) => Number((await head(url)).headers()["upload-offset"]);
  const list = async () => (await call<Listed>(request, "GET", "/api/admin/uploads")).items;
  return { options, exchanges, send, sendPart, refusal, head, received, list };
}

const changing =
  (method: string, change: (request: HttpRequest) => void): UploadOptions["onBeforeRequest"] =>
  (request) => {
    if (request.getMethod() === method) change(request);
  };

test("the official client uploads, resumes after a break and a restart, and cancels", async ({ request, camp }) => {
  const { options, exchanges, send, sendPart, refusal, head, received, list } = await clientOf(request, camp);

  await test.step("it may use exactly these extensions", async () => {
    const answer = await request.fetch("/api/admin/uploads", { method: "OPTIONS" });
    const extensions = answer.headers()["tus-extension"]?.split(",").toSorted();
    expect(extensions).toEqual(["checksum", "creation", "creation-with-upload", "expiration", "termination"]);
  });

  await test.step("creation: what was cut is found again by the file, after a restart too", async () => {
    const remembering = {
      ...options,
      urlStorage: memory(),
      fingerprint: async () => createHash("sha256").update(film).digest("hex"),
    };
    const url = await sendPart(remembering);
    expect(await received(url)).toBe(piece);
    await camp.restart();
    exchanges.length = 0;
    await new Promise<void>((done, failed) => {
      const again = new Upload(film, { ...remembering, onSuccess: () => done(), onError: failed });
      void again.findPreviousUploads().then(([before]) => {
        expect(before?.uploadUrl).toBe(url);
        again.resumeFromPreviousUpload(before!);
        again.start();
      }, failed);
    });
    expect(exchanges.map(({ method, offset }) => [method, offset])).toEqual([
      ["HEAD", undefined],
      ["PATCH", String(piece)],
      ["PATCH", String(2 * piece)],
    ]);
    const arrived = (await list()).find(({ id }) => url.endsWith(id));
    expect(arrived).toMatchObject({ file_name: "אש המחנה.mp4", size_bytes: film.length, received_bytes: film.length });
  });

  await test.step("creation-with-upload: the first piece comes with the announcement", async () => {
    exchanges.length = 0;
    const url = await send({ uploadDataDuringCreation: true });
    expect(exchanges.map(({ method, offset, status }) => [method, offset, status])).toEqual([
      ["POST", undefined, 201],
      ["PATCH", String(piece), 204],
      ["PATCH", String(2 * piece), 204],
    ]);
    expect(exchanges[0]!.response.getHeader("Upload-Offset")).toBe(String(piece));
    expect(await received(url)).toBe(film.length);
  });

  await test.step("expiration: each answer says until when the upload is kept", async () => {
    exchanges.length = 0;
    await sendPart();
    expect(exchanges.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    for (const { method, response } of exchanges) {
      const expires = response.getHeader("Upload-Expires") ?? "";
      const hours = (Date.parse(expires) - Date.now()) / 3_600_000;
      expect(new Date(expires).toUTCString(), method).toBe(expires);
      expect(Math.abs(hours - 24), method).toBeLessThan(0.2);
    }
  });

  await test.step("termination: a canceled upload is gone", async () => {
    const url = await sendPart();
    expect((await head(url)).status()).toBe(200);
    await Upload.terminate(url, options);
    expect([404, 410]).toContain((await head(url)).status());
    expect((await list()).some(({ id }) => url.endsWith(id))).toBe(false);
    expect((await refusal({ endpoint: null, uploadUrl: url })).status).toBe(404);
  });

  await test.step("POST stands in for the methods that a network does not let through", async () => {
    exchanges.length = 0;
    const url = await send({ overridePatchMethod: true });
    expect(exchanges.map(({ method, status }) => [method, status])).toEqual([
      ["POST", 201],
      ["POST", 204],
      ["POST", 204],
      ["POST", 204],
    ]);
    expect(await received(url)).toBe(film.length);
    expect((await request.post(url, { headers: { "Tus-Resumable": "1.0.0" } })).status()).toBe(405);
  });
});

test("the official client is refused what the protocol does not allow", async ({ request, camp }) => {
  const { exchanges, send, sendPart, refusal, received, list } = await clientOf(request, camp);

  /** Adds a checksum to each piece, because the client has no support for checksums. */
  const checksum = (algorithm: string, digest: (bytes: Buffer) => Buffer) =>
    changing("PATCH", (sent) => {
      const at = Number(sent.getHeader("Upload-Offset"));
      sent.setHeader("Upload-Checksum", `${algorithm} ${digest(film.subarray(at, at + piece)).toString("base64")}`);
    });
  const hash = (algorithm: string) => (bytes: Buffer) => createHash(algorithm).update(bytes).digest();

  await test.step("checksum: right ones are accepted", async () => {
    for (const algorithm of ["sha1", "sha256"])
      expect(await received(await send({ onBeforeRequest: checksum(algorithm, hash(algorithm)) }))).toBe(film.length);
  });

  await test.step("checksum: a piece with a wrong checksum is not kept", async () => {
    for (const algorithm of ["sha1", "sha256"]) {
      const uploadUrl = await sendPart();
      const wrong = checksum(algorithm, (bytes) => hash(algorithm)(bytes.subarray(1)));
      expect((await refusal({ uploadUrl, onBeforeRequest: wrong })).status).toBe(460);
      expect(await received(uploadUrl)).toBe(piece);
      expect(await received(await send({ uploadUrl, onBeforeRequest: checksum(algorithm, hash(algorithm)) }))).toBe(
        film.length,
      );
    }
  });

  await test.step("checksum: an unknown algorithm is refused", async () => {
    const uploadUrl = await sendPart();
    expect((await refusal({ uploadUrl, onBeforeRequest: checksum("md5", hash("md5")) })).status).toBe(400);
    expect(await received(uploadUrl)).toBe(piece);
  });

  await test.step("another version of the protocol", async () => {
    for (const method of ["POST", "HEAD", "PATCH"]) {
      const other = changing(method, (sent) => sent.setHeader("Tus-Resumable", "0.2.2"));
      const uploadUrl = method === "HEAD" ? await sendPart() : null;
      // After a refused HEAD, the client starts a new upload, unless it has no URL for that.
      const { status, header } = await refusal({
        uploadUrl,
        onBeforeRequest: other,
        ...(uploadUrl && { endpoint: null }),
      });
      expect([method, status, header("Tus-Version")]).toEqual([method, 412, "1.0.0"]);
    }
  });

  await test.step("a wrong offset", async () => {
    const uploadUrl = await sendPart();
    const ahead = changing("PATCH", (sent) => sent.setHeader("Upload-Offset", String(2 * piece)));
    const { status, header } = await refusal({ uploadUrl, onBeforeRequest: ahead });
    expect([status, header("Upload-Offset")]).toEqual([409, String(piece)]);
    expect(await received(uploadUrl)).toBe(piece);
  });

  await test.step("extensions that are not supported, before anything is stored", async () => {
    const before = (await list()).length;
    const parallel = await refusal({ parallelUploads: 2 });
    expect([parallel.status, parallel.body]).toEqual([400, expect.stringContaining("Upload-Concat is not offered")]);
    const endless = await refusal({ uploadLengthDeferred: true });
    expect([endless.status, endless.body]).toEqual([
      400,
      expect.stringContaining("Upload-Defer-Length is not offered"),
    ]);
    expect(await list()).toHaveLength(before);
  });

  await test.step("anything from a stranger", async () => {
    exchanges.length = 0;
    expect((await refusal({ headers: {} })).status).toBe(401);
    expect(exchanges).toHaveLength(1);
  });
});
