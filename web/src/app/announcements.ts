import type { QueryClient } from "@tanstack/react-query";
import type { LiveUpdate, Site } from "../api/client";
import { siteQuery } from "../api/queries";
import { minutesSince } from "../lib/moments";
import { paths } from "../lib/paths";
import type { Notice } from "../notices/device";
import { notificationsEnabled } from "../notices/enabled";
import type { Notices } from "../notices/notices";
import { toast } from "../ui/toast";
import { splitScripts } from "../ui/two-scripts";

/** A page that was asleep for hours shows what it missed without announcing it. In minutes. */
const announcedFor = 2 * 60;

type NewVideo = { id: string; title: string; published_at: string };
/** Notifications wait until quiet time ends. */
type Quiet = { quiet_until?: string | null };

/** Announces each update and video once, by a toast or by a device notification. */
export function createAnnouncements(client: QueryClient, onLead: () => void) {
  const announced = new Set<string>();
  const device = createDevice(client, onLead);

  const isNews = (id: string, at: string) => !announced.has(id) && minutesSince(at) < announcedFor;
  const campName = () => splitScripts(client.getQueryData<Site>(siteQuery.queryKey)?.site_name ?? "")[0];

  function announce(notice: Notice, title: string) {
    announced.add(notice.id);
    if (device.current()?.say(notice) ?? true)
      toast({ title, description: notice.title, written: true, href: notice.path });
  }

  function update({ id, title, message, created_at, quiet_until: quietUntil }: LiveUpdate & Quiet) {
    if (isNews(id, created_at))
      announce(
        { id, title, body: message, path: paths.update(id), quietUntil },
        `New ${campName()} Camp Update!`.replace("  ", " "),
      );
  }

  function video({ id, title, published_at, quiet_until: quietUntil }: NewVideo & Quiet) {
    // The lists show the video anyway, so it is announced only to people who turned on notifications.
    if (device.current() && isNews(id, published_at))
      announce({ id, title, body: `A new video from ${campName()}`, path: paths.video(id), quietUntil }, "New video");
  }

  return { update, video, device };
}

/** The notifications of this device. Their code is loaded only where somebody turned them on. */
function createDevice(client: QueryClient, onLead: () => void) {
  let current: Notices | null = null;
  let wanted: "on" | "withdrawn" | null = null;
  let ended = false;

  async function choose({ push_enabled }: Site) {
    const now = ended || !notificationsEnabled() ? null : push_enabled ? "on" : "withdrawn";
    if (now === wanted) return;
    wanted = now;
    current?.end();
    current = null;
    if (!now) return;
    const part = await import("../notices/notices").catch(() => null);
    if (!part || wanted !== now) return;
    if (now === "on") current = part.notices(client, onLead);
    else void part.withdraw();
  }

  function end() {
    ended = true;
    current?.end();
  }

  return { current: () => current, choose, end };
}
