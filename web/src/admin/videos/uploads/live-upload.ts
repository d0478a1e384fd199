import { useEffect, useSyncExternalStore } from "react";
import { useQuery } from "@tanstack/react-query";
import { staffPaths } from "../../../lib/staff-paths";
import { uploadsQuery, type Upload } from "./queries";
import { useTransfers, type Transfer } from "./transfers";
import { percentOf } from "./words";

/** An upload's current state, including what this tab is sending of it. */
export type LiveUpload = Upload & { transfer: Transfer | undefined; percent: number };

const live = (upload: Upload, transfer: Transfer | undefined): LiveUpload => ({
  ...upload,
  transfer,
  percent:
    upload.state === "converting"
      ? upload.progress
      : percentOf(transfer?.sent ?? upload.received_bytes, upload.size_bytes),
});

/** Whether nobody will ever be able to watch this file. */
export const isBroken = ({ state, transfer }: LiveUpload) => state === "failed" || transfer?.state === "refused";

/** The current state of a video's upload. A list of videos is refetched less often than its uploads progress. */
export function useLiveUpload(upload: Upload | null | undefined): LiveUpload | null {
  const transfer = useTransfers().find(({ id }) => id === upload?.id);
  const newer = useKnownUploads().find(({ id }) => id === upload?.id);
  return upload ? live(newer ?? upload, transfer) : null;
}

/** All files on their way: first those that this tab sends, then the others that the server knows. */
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

/** The uploads that an open form shows, so that the panel does not show them as well. */
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

/** The last known uploads. The panel above the pages refetches them. */
const useKnownUploads = () => useQuery({ ...uploadsQuery, enabled: false }).data?.items ?? [];

/** What the server will report for a file that it was just told about. */
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

/** The URL of the new-report form with this file chosen. */
export const formOf = ({ id }: Upload) => `${staffPaths.upload}&file=${encodeURIComponent(id)}`;
