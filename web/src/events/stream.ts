import type { components } from "../api/schema.gen";

/** The events that public pages follow, by name. */
const kinds = [
  "update.created",
  "update.changed",
  "update.removed",
  "video.published",
  "video.changed",
  "comment.created",
  "comment.removed",
] as const;

type ServerEvent = components["schemas"]["ServerEvent"];
type Data<Name extends ServerEvent["event"]> = Extract<ServerEvent, { event: Name }>["data"];
/** An event as arguments: its name and its data. */
export type Told = { [Kind in (typeof kinds)[number]]: [kind: Kind, data: Data<Kind>] }[(typeof kinds)[number]];

type Listener = {
  /** One event, each at most once and in order. */
  tell: (...event: Told) => void;
  /** The stream is connected for the first time. The page was loaded before that, so data that changes often is to be read again. */
  begin: () => void;
  /** Events may have been missed: everything has to be read again. */
  reset: () => void;
  /** Called when the stream connects and disconnects. */
  following?: (yes: boolean) => void;
  /** Whether to stay connected while the page is hidden. */
  unseen?: () => boolean;
};

export type Line = {
  /** Connects or disconnects, whichever the page needs now. */
  wake: () => void;
  end: () => void;
};

/** Waits before another try, in milliseconds; the last one repeats, and is what a full server asks for. */
const waits = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

/** A connection may be dead without the browser noticing; comment lines do not reach scripts. Reconnecting is cheap. */
const silence = 3 * 60_000;

/** Timers that are this late mean that the device slept. */
const beat = 15_000;

/**
 * Receives the server's events while the page is visible, or is to stay connected while hidden. After a lost
 * connection, a hidden tab or a sleeping phone it resumes after the last event that it received.
 */
export function follow(
  { tell, begin, reset, following, unseen = () => false }: Listener,
  address = "/api/events",
): Line {
  let source: EventSource | null = null;
  let lastId = "";
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let heardAt = Date.now();
  let beatAt = Date.now();

  const listens = () => !document.hidden || unseen();

  function open() {
    close();
    if (!listens() || navigator.onLine === false) return;
    heardAt = Date.now();
    const opened = new EventSource(lastId ? `${address}?last_event_id=${encodeURIComponent(lastId)}` : address);
    source = opened;
    const on = (name: string, hear: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        if (source !== opened) return;
        heardAt = Date.now();
        hear(event as MessageEvent<string>);
      });

    on("open", () => {
      failures = 0;
      following?.(true);
    });
    on("hello", ({ data }) => {
      if (lastId) return;
      lastId = String((JSON.parse(data) as Data<"hello">).id);
      begin();
    });
    on("reset", (event) => {
      lastId = event.lastEventId;
      reset();
    });
    for (const kind of kinds) {
      on(kind, (event) => {
        if (!isAfter(event.lastEventId, lastId)) return;
        lastId = event.lastEventId;
        tell(...([kind, JSON.parse(event.data)] as Told));
      });
    }
    // Reconnects without the browser, which gives up at the first response that is not a stream.
    opened.addEventListener("error", () => {
      if (source !== opened) return;
      close();
      const wait = waits[Math.min(failures++, waits.length - 1)]!;
      retry = setTimeout(open, wait * (0.8 + Math.random() * 0.4));
    });
  }

  function close() {
    clearTimeout(retry);
    if (source) following?.(false);
    source?.close();
    source = null;
  }

  function wake() {
    failures = 0;
    // The page was just hidden: an open connection may stay.
    if (!(document.hidden && source && unseen())) open();
  }

  const pulse = setInterval(() => {
    // Browsers run the timers of a hidden page once a minute.
    const slept = Date.now() - beatAt > (document.hidden ? silence : 3 * beat);
    beatAt = Date.now();
    if (listens() && (slept || (source && Date.now() - heardAt > silence))) open();
  }, beat);

  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("offline", close);
  addEventListener("pageshow", wakeFromCache);
  open();

  function wakeFromCache(event: PageTransitionEvent) {
    if (event.persisted) wake();
  }

  return {
    wake,
    end() {
      clearInterval(pulse);
      document.removeEventListener("visibilitychange", wake);
      removeEventListener("online", wake);
      removeEventListener("offline", close);
      removeEventListener("pageshow", wakeFromCache);
      close();
    },
  };
}

/** Ids are increasing numbers. An id that cannot be compared counts as new. */
function isAfter(id: string, last: string) {
  const [a, b] = [Number(id), Number(last)];
  return !id || !last || Number.isNaN(a) || Number.isNaN(b) || a > b;
}
