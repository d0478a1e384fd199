import { useEffect, useEffectEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../../api/client";
import { uploadsQuery } from "./queries";

/**
 * Refetches an open video once its file is ready, because only then can staff choose among its pictures and trim it.
 */
export function useReadyFile(video: AdminVideo | null, refresh: () => Promise<unknown>) {
  const known = useQuery({ ...uploadsQuery, enabled: false }).data?.items;
  const upload = video?.upload;
  const isReady =
    known !== undefined && upload != null && upload.state !== "ready" && !known.some(({ id }) => id === upload.id);
  const read = useEffectEvent(refresh);
  useEffect(() => {
    // If this fails, saving an outdated version says so.
    if (isReady) read().catch(() => undefined);
  }, [isReady]);
}
