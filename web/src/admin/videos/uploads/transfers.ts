import { useSyncExternalStore } from "react";
import type { Upload as Sender, DetailedError } from "tus-js-client";
import { isApiError } from "../../../api/client";
import { onSignOut, requiresSignIn } from "../../shared/session";
import { addressOfUpload, createUpload, failureOf, removeUpload, type Upload } from "./queries";

/**
 * A file that this tab is sending. `waiting`: other files go first. `lost`: there is no connection, and it continues by
 * itself. `signedOut`: it continues once somebody has signed in again. `refused`: the server does not accept it.
 */
export type Transfer = {
  /** The id of the upload on the server. */
  id: string;
  file: File;
  sent: number;
  /** Bytes per second over the last few seconds. 0 while unknown. */
  speed: number;
  state: "waiting" | "sending" | "paused" | "lost" | "signedOut" | "refused";
  problem: string | null;
};

/** Each request sends one piece, so that a proxy with a size limit lets it through. */
const pieceSize = 8 * 1024 * 1024;
/** After this long without progress, a connection counts as lost. */
const stallTimeout = 45_000;
const delays = [1_000, 2_000, 4_000, 8_000, 15_000];

type Sending = { sender: Sender; watchdog: ReturnType<typeof setTimeout> | undefined; samples: Sample[] };
type Sample = { at: number; sent: number };

let transfers: readonly Transfer[] = [];
const listeners = new Set<() => void>();
const arrivalListeners = new Set<(transfer: Transfer) => void>();
/** Files that arrived before anybody listened, because the panel above all pages loads after them. */
const unheard: Transfer[] = [];
const sending = new Map<string, Sending>();
const failures = new Map<string, number>();
const retries = new Map<string, ReturnType<typeof setTimeout>>();

/** The files on their way, whichever page of the staff area is open. */
export const useTransfers = () => useSyncExternalStore(subscribe, () => transfers);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls the listener for each file that arrives. */
export function onArrival(listener: (transfer: Transfer) => void) {
  arrivalListeners.add(listener);
  unheard.splice(0).forEach(listener);
  return () => void arrivalListeners.delete(listener);
}

/**
 * Starts sending a file and returns the id of its upload. An upload that arrived only in part continues from there,
 * whoever started it, and an unused upload that arrived completely is not sent again. A file that a saved video already
 * uses is sent again as a new upload.
 */
export async function sendFile(file: File, known: readonly Upload[]) {
  const isTaken = ({ id }: Transfer) => known.some((upload) => upload.id === id && upload.video_id);
  const running = transfers.find((one) => one.file.size === file.size && one.file.name === file.name && !isTaken(one));
  if (running?.state === "refused") forget(running.id);
  else if (running) {
    resume(running.id);
    return running.id;
  }
  const begun = known.find((upload) => isSameFile(upload, file) && isUnused(upload));
  if (begun && !isUnfinished(begun)) return begun.id;
  const id = begun?.id ?? (await createUpload(file));
  continueFile(id, file, begun?.received_bytes);
  return id;
}

/** Continues an upload whose file was picked again. */
export function continueFile(id: string, file: File, sent = 0) {
  set([...transfers.filter((one) => one.id !== id), { id, file, sent, speed: 0, state: "waiting", problem: null }]);
  startNext();
}

/** Whether this is the file that the upload started with, as far as its name and size tell. */
export const isSameFile = ({ file_name, size_bytes }: Upload, file: File) =>
  size_bytes === file.size && visible(file_name) === visible(file.name);

/** The portal shortens long names and leaves out invisible characters. */
const visible = (name: string) =>
  Array.from(name.normalize("NFC").replace(/[\p{C}\p{Z}]/gu, ""))
    .slice(0, 80)
    .join("");

const isUnfinished = ({ state }: Upload) => state === "uploading";
const isUnused = ({ state, video_id }: Upload) => state !== "failed" && !video_id;

export function pause(id: string) {
  stop(id);
  change(id, { state: "paused", speed: 0 });
  startNext();
}

export function resume(id: string) {
  const state = find(id)?.state;
  if (state !== "paused" && state !== "lost" && state !== "signedOut") return;
  stop(id);
  change(id, { state: "waiting", problem: null });
  startNext();
}

/** Continues the uploads that stopped because the session ended. */
export const resumeAfterSignIn = () =>
  transfers.filter(({ state }) => state === "signedOut").forEach(({ id }) => resume(id));

/** Stops an upload and deletes what has arrived of it. */
export async function cancel(id: string) {
  stop(id);
  change(id, { state: "paused", speed: 0 });
  await removeUpload(id);
  forget(id);
}

/** Deletes an upload that this tab is no longer sending. */
export async function dropUpload(id: string) {
  await removeUpload(id);
  forget(id);
}

/** Removes a file from the list. */
export function forget(id: string) {
  stop(id);
  set(transfers.filter((one) => one.id !== id));
  startNext();
}

const find = (id: string) => transfers.find((one) => one.id === id);

function set(next: readonly Transfer[]) {
  transfers = next;
  listeners.forEach((listener) => listener());
}

const change = (id: string, changes: Partial<Transfer>) =>
  set(transfers.map((one) => (one.id === id ? { ...one, ...changes } : one)));

function stop(id: string) {
  clearTimeout(retries.get(id));
  const now = sending.get(id);
  sending.delete(id);
  clearTimeout(now?.watchdog);
  void now?.sender.abort().catch(() => undefined);
}

/** Sends one file at a time, so that the first one arrives as early as possible. */
function startNext() {
  if (transfers.some(({ state }) => state === "sending")) return;
  const next = transfers.find(({ state }) => state === "waiting");
  if (next) void start(next);
}

async function start({ id, file }: Transfer) {
  change(id, { state: "sending", problem: null });
  const { Upload: TusUpload } = await import("tus-js-client").catch(() => ({ Upload: null }));
  if (find(id)?.state !== "sending") return;
  if (!TusUpload) return lost(id);
  const sender = new TusUpload(file, {
    uploadUrl: new URL(addressOfUpload(id), location.origin).href,
    chunkSize: pieceSize,
    retryDelays: null,
    storeFingerprintForResuming: false,
    onProgress: (sent) => progressed(id, sent),
    onSuccess: () => arrived(id),
    onError: (error) => void failed(id, error as DetailedError),
  });
  sending.set(id, { sender, watchdog: undefined, samples: [] });
  watch(id);
  sender.start();
}

/** Restarts the watchdog timer. */
function watch(id: string) {
  const now = sending.get(id);
  if (!now) return;
  clearTimeout(now.watchdog);
  now.watchdog = setTimeout(() => lost(id), stallTimeout);
}

function progressed(id: string, sent: number) {
  const now = sending.get(id);
  if (!now) return;
  failures.delete(id);
  watch(id);
  const at = Date.now();
  now.samples = [...now.samples.filter((sample) => at - sample.at < 8_000), { at, sent }];
  const first = now.samples[0]!;
  change(id, { sent, speed: at - first.at > 500 ? ((sent - first.sent) / (at - first.at)) * 1_000 : 0 });
}

function arrived(id: string) {
  const transfer = find(id);
  // Notifies listeners first, because the server's list still shows the progress from some seconds ago.
  if (transfer) arrivalListeners.forEach((listener) => listener(transfer));
  if (transfer && arrivalListeners.size === 0) unheard.push(transfer);
  forget(id);
}

async function failed(id: string, { originalResponse }: DetailedError) {
  if (!sending.has(id)) return;
  const status = originalResponse?.getStatus() ?? 0;
  if (!originalResponse || status >= 500 || [0, 408, 409, 423, 429].includes(status)) {
    // A server error that retries cannot fix has its own status, 507.
    return status === 507 ? refuse(id, status, originalResponse?.getBody() ?? "") : lost(id);
  }
  return refuse(id, status, originalResponse.getBody());
}

async function refuse(id: string, status: number, body: string) {
  stop(id);
  const error = await failureOf(status, body);
  if (requiresSignIn(error)) change(id, { state: "signedOut", speed: 0 });
  else {
    const gone = status === 404 || status === 410;
    const problem = gone
      ? "The portal no longer has the beginning of this file. Please upload it again."
      : isApiError(error)
        ? error.message
        : "Something went wrong. Please try again.";
    change(id, { state: "refused", speed: 0, problem });
  }
  startNext();
}

/** Retries by itself: soon at first, then every fifteen seconds. */
function lost(id: string) {
  stop(id);
  if (!find(id)) return;
  const before = failures.get(id) ?? 0;
  failures.set(id, before + 1);
  change(id, { state: "lost", speed: 0 });
  retries.set(
    id,
    setTimeout(() => resume(id), delays[Math.min(before, delays.length - 1)]),
  );
  // One file's problem need not hold up the others.
  startNext();
}

addEventListener("online", () => transfers.filter(({ state }) => state === "lost").forEach(({ id }) => resume(id)));

// Closing the tab stops the uploads, and the files have to be picked again.
addEventListener("beforeunload", (event) => {
  if (transfers.some(({ state }) => state !== "refused")) event.preventDefault();
});

onSignOut(() => {
  transfers.forEach(({ id }) => stop(id));
  set([]);
});
