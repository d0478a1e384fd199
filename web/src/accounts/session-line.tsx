import type { LoginSession } from "../api/client";
import { useSite } from "../api/queries";
import { useNow } from "../lib/clock";
import { campZone } from "../lib/format";
import { age, campDateTime } from "../lib/moments";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Icon, type IconName } from "../ui/icon";

const devices: Record<LoginSession["device"], { label: string; icon: IconName }> = {
  phone: { label: "Phone", icon: "phone" },
  tablet: { label: "Tablet", icon: "tablet" },
  computer: { label: "Computer", icon: "system" },
};

/** When a session began, in the camp's zone. */
const sinceWhen = ({ created_at }: LoginSession, timeZone: string) =>
  campDateTime(created_at, timeZone) + campZone(created_at, timeZone);

/** "Computer, since November 22, 2026, 1:10 PM". */
export const sessionName = (session: LoginSession, timeZone: string) =>
  `${devices[session.device].label}, since ${sinceWhen(session, timeZone)}`;

/** A session of a parent or of staff. */
export function SessionLine({ session, busy, onEnd }: { session: LoginSession; busy: boolean; onEnd: () => void }) {
  const site = useSite();
  const now = useNow();
  const { label, icon } = devices[session.device];
  const since = site && sinceWhen(session, site.timezone);
  return (
    <li className="flex min-h-14 items-center gap-4 border-line py-2 not-first:border-t">
      <Icon name={icon} className="size-6 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {label}
          {session.current && (
            <Badge tone="good" className="whitespace-normal!">
              This device
            </Badge>
          )}
        </span>
        <span className="block text-sm text-muted">
          {session.current
            ? `Since ${since}`
            : `Last seen ${age(session.last_seen_at, now).toLowerCase()}, since ${since}`}
        </span>
      </span>
      {!session.current && (
        <Button look="quiet" busy={busy} onClick={onEnd}>
          Sign Out
          <span className="sr-only">
            {" "}
            {label}, since {since}
          </span>
        </Button>
      )}
    </li>
  );
}
