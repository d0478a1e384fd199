import { useDeferredValue } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { isApiError } from "../../api/client";
import { campLocal, campTime } from "../../lib/format";
import { lowerFirst } from "../shared/quiet-time";
import { scheduleTime } from "../shared/words";
import { previewQuietQuery, type Values } from "./queries";
import { settingLabel } from "./words";

/** "Friday, Nov 27, 4:12 PM to Saturday, Nov 28, 5:15 PM", "Today, 7:10 PM to 11:10 PM". */
function spanOf(from: string, to: string, timeZone: string) {
  const sameDay = campLocal(from, timeZone).date === campLocal(to, timeZone).date;
  const end = sameDay ? campTime(to, timeZone) : lowerFirst(scheduleTime(to, timeZone));
  return `${unbroken(scheduleTime(from, timeZone))} to ${unbroken(end)}`;
}

/** Keeps a time on one line, so that on a phone the line breaks between the two times. */
const unbroken = (text: string) => text.replaceAll(" ", "\u00a0");

/** The next ten quiet times with the settings as currently typed. */
export function QuietPreview({ changes }: { changes: Values }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const body = useDeferredValue(JSON.stringify(changes));
  const preview = useQuery({ ...previewQuietQuery(body), placeholderData: keepPreviousData });
  const wrong = isApiError(preview.error) ? Object.keys(preview.error.fields) : [];

  return (
    <section aria-labelledby="next-quiet" className="grid gap-2 rounded-md bg-sunk p-4">
      <h3 id="next-quiet" className="text-base font-medium">
        The next ten quiet times
      </h3>
      {preview.isError ? (
        <p role="status" className="text-sm text-muted">
          {wrong.length > 0
            ? `They appear when this is complete: ${wrong.map(settingLabel).join(", ")}.`
            : "They cannot be computed right now."}
        </p>
      ) : (
        <ol className="grid gap-1 text-sm">
          {preview.data?.map(({ starts_at, ends_at, name }) => (
            <li key={starts_at} className="flex flex-wrap gap-x-2">
              <bdi className="font-medium">{name}</bdi>
              <span className="text-muted tabular-nums">{spanOf(starts_at, ends_at, timeZone)}</span>
            </li>
          ))}
        </ol>
      )}
      {preview.data?.length === 0 && <p className="text-sm text-muted">There are none.</p>}
    </section>
  );
}
