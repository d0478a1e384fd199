import { useEffect, useEffectEvent } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AdminVideo } from "../../../api/client";
import { uploadsQuery } from "./queries";

/** Reads an open video again once its file is ready: only then it has pictures to choose from and a length to trim. */
export function useReadyFile(video: AdminVideo | null, refresh: () => Promise<unknown>) {
  const known = useQuery({ ...uploadsQuery, enabled: false }).data?.items;
  const upload = video?.upload;
  const isReady =
    known !== undefined && upload != null && upload.state !== "ready" && !known.some(({ id }) => id === upload.id);
  const read = useEffectEvent(refresh);
  useEffect(() => {
    // Whoever saves an older version is told so then.
    if (isReady) read().catch(() => undefined);
  }, [isReady]);
}
