import { useEffect, type RefObject } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, isApiError, send, type Site } from "../api/client";
import { useSite } from "../api/queries";
import { useNow } from "../lib/clock";
import { campTime, campZone } from "../lib/format";
import { usePathname } from "../lib/navigation";
import { paths } from "../lib/paths";
import { telephone } from "../lib/telephone";
import { Icon } from "../ui/icon";
import "../ui/more-icons";

type Props = { quiet: NonNullable<Site["quiet_time"]>; main: RefObject<HTMLElement | null> };

/** Pages that stay open on a closed site: those that emails link to, and those that people may have to read. */
const openPages: string[] = [paths.contact, paths.privacy, paths.terms, paths.unsubscribe, "/subscribe/confirm"];
const staysOpen = (pathname: string) => openPages.includes(pathname) || /^\/auth(\/|$)/.test(pathname);

/** Says that it is quiet time and until when. On a closed site it replaces the page. */
export default function QuietTime({ quiet, main }: Props) {
  const pathname = usePathname();
  const now = useNow().getTime();
  const begun = Date.parse(quiet.starts_at) <= now;
  const over = Date.parse(quiet.ends_at) <= now;
  const closed = useClosed(quiet.closes && begun && !over) && !staysOpen(pathname);
  useReloadAt(over);

  useEffect(() => (closed && main.current ? hide(main.current) : undefined), [closed, main]);

  if (!begun || over) return null;
  return closed ? <Closed quiet={quiet} /> : <Notice quiet={quiet} />;
}

/**
 * Hides the page while the site is closed. "Skip to content" then leads to the closed notice. Dialogs of the hidden
 * page would block everything else, so they return with the page, and nothing in it plays.
 */
function hide(page: HTMLElement) {
  const { id } = page;
  const dialogs = new Set<HTMLDialogElement>();
  const frames = new Set<HTMLIFrameElement>();
  page.hidden = true;
  page.removeAttribute("id");

  function silence() {
    page.querySelectorAll<HTMLDialogElement>("dialog[open]").forEach((dialog) => {
      dialogs.add(dialog);
      dialog.close();
    });
    page.querySelectorAll("video").forEach((video) => video.pause());
    page.querySelectorAll("iframe").forEach((frame) => {
      if (frames.has(frame)) return;
      frames.add(frame);
      // Replaces the history entry, because Back would otherwise lead to it.
      frame.contentWindow?.location.replace("about:blank");
    });
  }
  silence();
  const later = new MutationObserver(silence);
  later.observe(page, { childList: true, subtree: true, attributeFilter: ["open"] });
  page.addEventListener("play", silence, true);

  return () => {
    later.disconnect();
    page.removeEventListener("play", silence, true);
    page.hidden = false;
    page.id = id;
    frames.forEach(({ contentWindow, src }) =>
      contentWindow?.location.replace(src.replace("autoplay=1", "autoplay=0")),
    );
    dialogs.forEach((dialog) => {
      if (dialog.isConnected && !dialog.open) dialog.showModal();
    });
  };
}

/** Whether the server closed the site for this person. Staff can still see it. */
function useClosed(ask: boolean) {
  const { error } = useQuery({
    queryKey: ["closed"],
    queryFn: () => send(api.GET("/api/live-updates", { params: { query: { limit: 1 } } })),
    enabled: ask,
    retry: false,
  });
  return ask && isApiError(error, "closed");
}

/** Refetches everything when quiet time ends. */
function useReloadAt(over: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (over) void client.invalidateQueries();
  }, [over, client]);
}

/** "Saturday, 9:15 PM EDT". */
function useEnd({ ends_at }: Props["quiet"]) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const day = new Intl.DateTimeFormat("en-US", { weekday: "long", timeZone }).format(new Date(ends_at));
  return `${day}, ${campTime(ends_at, timeZone).replace(" ", "\u00a0")}${campZone(ends_at, timeZone)}`;
}

function Notice({ quiet }: Pick<Props, "quiet">) {
  const end = useEnd(quiet);
  return (
    <div role="status" className="bg-lake-wash text-lake">
      <p className="wrap flex items-center gap-2 py-2 text-sm">
        <Icon name="clock" />
        <span>
          <bdi>{quiet.name}</bdi>: emails and notifications wait until {end}.
        </span>
      </p>
    </div>
  );
}

function Closed({ quiet }: Pick<Props, "quiet">) {
  const site = useSite();
  const end = useEnd(quiet);
  return (
    <main
      id="main"
      tabIndex={-1}
      aria-labelledby="closed"
      className="wrap grid min-h-dvh content-start justify-items-center gap-6 pt-section text-center"
    >
      <img src="/art/placeholder.svg" alt="" width={640} height={360} className="w-full max-w-md rounded-lg" />
      <h1 id="closed" className="text-4xl">
        The site is resting
      </h1>
      <p className="text-lg text-muted">
        <bdi>{quiet.name}</bdi>: it opens again {end}.
      </p>
      {site?.contact_phone && (
        <p className="text-muted">
          In an emergency, please call{" "}
          <a href={telephone(site.contact_phone)} className="link">
            <bdi>{site.contact_phone}</bdi>
          </a>
          .
        </p>
      )}
    </main>
  );
}
