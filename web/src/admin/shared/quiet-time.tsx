import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useSite } from "../../api/queries";
import type { components } from "../../api/schema.gen";
import { Icon } from "../../ui/icon";
import { everyFifteenSeconds, useRefetchInterval } from "./refetch-interval";
import { asStaff } from "./session";
import { scheduleTime } from "./words";

type QuietTime = components["schemas"]["QuietTime"];

/** How quiet time affects something that is posted now, or scheduled for a local time in camp. */
const quietTimeQuery = (at = "") =>
  queryOptions({
    queryKey: ["admin", "quiet-time", at],
    queryFn: ({ signal }) => asStaff(api.GET("/api/admin/quiet-time", { params: { query: at ? { at } : {} }, signal })),
    retry: false,
  });

/** The current quiet time, or undefined. */
export function useQuietNow() {
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  return useQuery({ ...quietTimeQuery(), refetchInterval }).data?.window ?? undefined;
}

type Props = {
  /** The local time that something is scheduled for. Now, if left out. */
  at?: string | undefined;
  /** Whether it goes out without waiting. */
  urgent?: boolean;
};

/** Says when the emails about the current post really go out. Shows nothing where the camp has no quiet time. */
export function MailTime({ at, urgent = false }: Props) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const refetchInterval = useRefetchInterval(everyFifteenSeconds);
  const quiet = useQuery({ ...quietTimeQuery(at), refetchInterval }).data;
  if (!quiet || quiet.mode === "none") return null;
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-sunk px-3.5 py-2.5 text-sm text-muted">
      <Icon name="clock" className="mt-[0.15em]" />
      <span>{mailTimeSentence(quiet, { scheduled: Boolean(at), urgent, timeZone })}</span>
    </p>
  );
}

type Circumstances = { scheduled: boolean; urgent: boolean; timeZone: string };

function mailTimeSentence(quiet: QuietTime, { scheduled, urgent, timeZone }: Circumstances) {
  const { window } = quiet;
  if (!window) return scheduled ? "Emails go out at that time." : "Emails go out right away.";
  if (urgent) return `Emails go out right away, although it is quiet time (${window.name}).`;
  const mailAt = scheduleTime(quiet.mail_at, timeZone);
  if (!scheduled) return `It is quiet time (${window.name}). Emails go out ${lowerFirst(mailAt)}.`;
  const then = `That is in quiet time (${window.name}).`;
  return quiet.publishes_at === quiet.mail_at
    ? `${then} The video appears ${lowerFirst(mailAt)}, and emails go out then.`
    : `${then} The video appears at its time, and emails go out ${lowerFirst(mailAt)}.`;
}

/** Starts "Today" and "Tomorrow" in lower case, for use inside a sentence. Day names stay as they are. */
export const lowerFirst = (text: string) => text.replace(/^To(?=day|morrow)/, "to");

/** "Emails go out Saturday, 9:15 PM." for a toast, if the emails wait. */
export const mailsWait = (mailAt: string | null | undefined, timeZone: string) =>
  mailAt ? `Emails go out ${lowerFirst(scheduleTime(mailAt, timeZone))}.` : null;
