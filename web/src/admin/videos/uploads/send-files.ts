import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../../api/client";
import { explain } from "../../../lib/forms";
import { requiresSignIn } from "../../shared/session";
import { uploadsQuery } from "./queries";
import { sendFile } from "./transfers";

/** Starts sending files. Refused files are named with the reason. */
export function useSendFiles() {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);

  async function send(files: readonly File[]) {
    setBusy(true);
    const ids: string[] = [];
    const problems: string[] = [];
    // Without the list, a file is simply sent from the beginning.
    const begun = await client.fetchQuery({ ...uploadsQuery, staleTime: 0 }).catch(() => ({ items: [] }));
    for (const file of files) {
      const refusal = refusalOf(file);
      if (refusal) {
        problems.push(refusal);
        continue;
      }
      try {
        ids.push(await sendFile(file, begun.items));
      } catch (error) {
        if (requiresSignIn(error)) continue;
        const why = (isApiError(error) && error.fields["file"]) || explain(error);
        problems.push(files.length > 1 ? `${file.name}: ${why}` : why);
      }
    }
    setBusy(false);
    void client.invalidateQueries({ queryKey: uploadsQuery.queryKey });
    return { ids, problems };
  }

  return { send, busy };
}

/** What can be checked before sending. The server checks the content. */
function refusalOf({ name, type, size }: File) {
  if (size === 0) return `“${name}” is empty.`;
  if (/^(image|audio|text|font)\/|^application\/(pdf|zip|json|msword|vnd\.)/.test(type))
    return `“${name}” is not a video.`;
  return null;
}
