import { useSyncExternalStore } from "react";
import type { Upload as Sender, DetailedError } from "tus-js-client";
import { isApiError } from "../../../api/client";
import { onSignOut, requiresSignIn } from "../../shared/session";
import { addressOfUpload, createUpload, failureOf, removeUpload, type Upload } from "./queries";

/**
 * A file on its way from this tab. `waiting`: others go first. `lost`: there is no connection, it goes on by itself.
 * `signedOut`: it goes on once somebody has signed in again. `refused`: the server does not take it.
 */
export type Transfer = {
  /** The id of the upload at the server. */
  id: string;
  file: File;
  sent: number;
  /** Bytes a second, over the last seconds; 0 while unknown. */
  speed: number;
  state: "waiting" | "sending" | "paused" | "lost" | "signedOut" | "refused";
  problem: string | null;
};

/** Each request carries one piece, so that a proxy that limits requests lets it through. */
const pieceSize = 8 * 1024 * 1024;
/** Without progress for so long, a connection counts as lost. */
const stallTimeout = 45_000;
const delays = [1_000, 2_000, 4_000, 8_000, 15_000];

type Sending = { sender: Sender; watchdog: ReturnType<typeof setTimeout> | undefined; samples: Sample[] };
type Sample = { at: number; sent: number };

let transfers: readonly Transfer[] = [];
const listeners = new Set<() => void>();
const arrivalListeners = new Set<(transfer: Transfer) => void>();
/** What arrived before anybody listened: the panel above all pages is loaded after them. */
const unheard: Transfer[] = [];
const sending = new Map<string, Sending>();
const failures = new Map<string, number>();
const retries = new Map<string, ReturnType<typeof setTimeout>>();

/** The files on their way, wherever in the staff area somebody is. */
export const useTransfers = () => useSyncExternalStore(subscribe, () => transfers);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Calls the listener for each file that has arrived. */
export function onArrival(listener: (transfer: Transfer) => void) {
  arrivalListeners.add(listener);
  unheard.splice(0).forEach(listener);
  return () => void arrivalListeners.delete(listener);
}

/**
 * Starts to send a file and returns the id of its upload. One of which a part has arrived goes on from there, whoever
 * began it, and one that arrived without being used is not sent again. The file of a saved video is that video's: the
 * same one is sent again.
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

/** Goes on with an upload whose file was picked again. */
export function continueFile(id: string, file: File, sent = 0) {
  set([...transfers.filter((one) => one.id !== id), { id, file, sent, speed: 0, state: "waiting", problem: null }]);
  startNext();
}

/** Whether this is the file that the upload began with, as far as its name and its size tell. */
export const isSameFile = ({ file_name, size_bytes }: Upload, file: File) =>
  size_bytes === file.size && visible(file_name) === visible(file.name);

/** The portal keeps long names only in part, and leaves out what cannot be seen. */
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

/** Goes on with what stopped because the session had ended. */
export const resumeAfterSignIn = () =>
  transfers.filter(({ state }) => state === "signedOut").forEach(({ id }) => resume(id));

/** Stops an upload and deletes what has arrived of it. */
export async function cancel(id: string) {
  stop(id);
  change(id, { state: "paused", speed: 0 });
  await removeUpload(id);
  forget(id);
}

/** Deletes an upload that this tab does not send any more. */
export async function dropUpload(id: string) {
  await removeUpload(id);
  forget(id);
}

/** Takes a file off the list. */
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

/** One file at a time, so that the first is there as early as possible. */
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

/** Starts the count of the watchdog anew. */
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
  // First, because the list of the server still says how much had arrived some seconds ago.
  if (transfer) arrivalListeners.forEach((listener) => listener(transfer));
  if (transfer && arrivalListeners.size === 0) unheard.push(transfer);
  forget(id);
}

async function failed(id: string, { originalResponse }: DetailedError) {
  if (!sending.has(id)) return;
  const status = originalResponse?.getStatus() ?? 0;
  if (!originalResponse || status >= 500 || [0, 408, 409, 423, 429].includes(status)) {
    // Server errors that more tries do not mend say so themselves.
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

/** Tries again by itself: soon at first, then every fifteen seconds. */
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
  // What one file meets need not hold up the others.
  startNext();
}

addEventListener("online", () => transfers.filter(({ state }) => state === "lost").forEach(({ id }) => resume(id)));

// Closing the tab ends what is being sent; the file has to be picked again.
addEventListener("beforeunload", (event) => {
  if (transfers.some(({ state }) => state !== "refused")) event.preventDefault();
});

onSignOut(() => {
  transfers.forEach(({ id }) => stop(id));
  set([]);
});
