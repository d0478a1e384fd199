import { useEffect, useRef, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "../../../lib/navigation";
import { buttonLook } from "../../../ui/button";
import { toast } from "../../../ui/toast";
import { useRefetchInterval } from "../../shared/refetch-interval";
import { useStaff } from "../../shared/session";
import { formOf, isBroken, useLiveUploads, useUploadsInForms } from "./live-upload";
import { uploadsChanged, uploadsInterval, uploadsQuery, type Upload } from "./queries";
import { onArrival, resumeAfterSignIn } from "./transfers";
import { UploadCard } from "./upload-card";

/** The files on their way, shown above every page of the staff area. */
export default function UploadPanel() {
  const client = useQueryClient();
  const staff = useStaff();
  const attended = useRefetchInterval(1) !== false;
  const { data, dataUpdatedAt } = useQuery({ ...uploadsQuery, refetchInterval: attended ? uploadsInterval : false });
  const growing = useGrowing(data?.items, dataUpdatedAt);

  useEffect(() => {
    if (staff) resumeAfterSignIn();
  }, [staff]);

  useEffect(
    () =>
      onArrival(({ id, file }) => {
        client.setQueryData(uploadsQuery.queryKey, (known) => known && { ...known, items: known.items.map(whole(id)) });
        toast({ title: `${file.name} has arrived`, description: "It is being prepared now. You may close this page." });
        void uploadsChanged(client);
      }),
    [client],
  );

  // The video lists take the progress from here, but have to be refetched when a state changes.
  const states = data?.items.map(({ id, state }) => id + state).join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current !== undefined && before.current !== states)
      void client.invalidateQueries({ queryKey: ["admin", "videos"] });
    before.current = states;
  }, [client, states]);

  // A file that belongs to a video and is being converted appears in the video list instead.
  const inForms = useUploadsInForms();
  const shown = useLiveUploads()
    .filter(({ id }) => !inForms.includes(id))
    .filter(({ transfer, video_id, state }) => transfer || !video_id || state === "uploading" || state === "failed");
  if (shown.length === 0) return null;
  return (
    <section aria-label="Uploads" className="mb-6 grid gap-3">
      {shown.map((upload) => (
        <UploadCard key={upload.id} upload={upload} elsewhere={growing.has(upload.id)}>
          {!upload.video_id && !isBroken(upload) && (
            <Link to={formOf(upload)} className={buttonLook("quiet")}>
              Add title<span className="sr-only"> to {upload.file_name}</span>
            </Link>
          )}
        </UploadCard>
      ))}
    </section>
  );
}

/** What the server will report for an upload that has arrived. */
const whole = (id: string) => (upload: Upload) =>
  upload.id === id ? { ...upload, state: "waiting" as const, received_bytes: upload.size_bytes } : upload;

/** The uploads that grew since they were last read, because somebody is sending them. */
function useGrowing(uploads: readonly Upload[] | undefined, readAt: number) {
  const [seen, setSeen] = useState({ uploads, readAt, growing: new Set<string>() });
  if (uploads !== seen.uploads || readAt !== seen.readAt) {
    const before = new Map(seen.uploads?.map(({ id, received_bytes }) => [id, received_bytes]));
    const grown = uploads?.filter(({ id, received_bytes }) => received_bytes > (before.get(id) ?? Infinity));
    setSeen({ uploads, readAt, growing: new Set(grown?.map(({ id }) => id)) });
  }
  return seen.growing;
}
