import { useEffect, useSyncExternalStore } from "react";
import { useQuery } from "@tanstack/react-query";
import { staffPaths } from "../../../lib/staff-paths";
import { uploadsQuery, type Upload } from "./queries";
import { useTransfers, type Transfer } from "./transfers";
import { percentOf } from "./words";

/** An upload as it is now, with what this tab sends of it. */
export type LiveUpload = Upload & { transfer: Transfer | undefined; percent: number };

const live = (upload: Upload, transfer: Transfer | undefined): LiveUpload => ({
  ...upload,
  transfer,
  percent:
    upload.state === "converting"
      ? upload.progress
      : percentOf(transfer?.sent ?? upload.received_bytes, upload.size_bytes),
});

/** It will never be watched as it is. */
export const isBroken = ({ state, transfer }: LiveUpload) => state === "failed" || transfer?.state === "refused";

/** A list of videos is read less often than the progress of their files changes. */
export function useLiveUpload(upload: Upload | null | undefined): LiveUpload | null {
  const transfer = useTransfers().find(({ id }) => id === upload?.id);
  const newer = useKnownUploads().find(({ id }) => id === upload?.id);
  return upload ? live(newer ?? upload, transfer) : null;
}

/** All files on their way: first those that this tab sends, then what the server knows of others. */
export function useLiveUploads(): LiveUpload[] {
  const transfers = useTransfers();
  const known = useKnownUploads();
  return [
    ...transfers.map((transfer) => live(known.find(({ id }) => id === transfer.id) ?? begun(transfer), transfer)),
    ...known.filter(({ id }) => !transfers.some((one) => one.id === id)).map((upload) => live(upload, undefined)),
  ];
}

let inForms: readonly string[] = [];
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The uploads that an open form shows, so that the panel does not show them twice. */
export const useUploadsInForms = () => useSyncExternalStore(subscribe, () => inForms);

/** Call from the form that shows an upload. */
export function useShownInForm(id: string | null) {
  useEffect(() => {
    if (!id) return;
    const set = (next: readonly string[]) => {
      inForms = next;
      listeners.forEach((listener) => listener());
    };
    set([...inForms, id]);
    return () => set(inForms.filter((one) => one !== id));
  }, [id]);
}

/** What was read last; the panel above the pages reads it again. */
const useKnownUploads = () => useQuery({ ...uploadsQuery, enabled: false }).data?.items ?? [];

/** What the server will say of a file that it was just told about. */
const begun = ({ id, file, sent }: Transfer): Upload => ({
  id,
  video_id: null,
  file_name: file.name,
  size_bytes: file.size,
  received_bytes: sent,
  state: "uploading",
  progress: 0,
  problem: null,
  can_retry: false,
  log: null,
  is_trim: false,
  uploaded_by: null,
  renditions: [],
  created_at: new Date().toISOString(),
});

/** The form of a new report, with this file chosen. */
export const formOf = ({ id }: Upload) => `${staffPaths.upload}&file=${encodeURIComponent(id)}`;
