import type { components } from "../api/schema.gen";

/** The events that public pages follow, by name. */
const kinds = [
  "update.created", "update.changed", "update.removed",
  "video.published", "video.changed",
  "comment.created", "comment.removed",
] as const;

type ServerEvent = components["schemas"]["ServerEvent"];
type Data<Name extends ServerEvent["event"]> = Extract<ServerEvent, { event: Name }>["data"];
/** An event as arguments: its name and its data. */
export type Told = { [Kind in (typeof kinds)[number]]: [kind: Kind, data: Data<Kind>] }[(typeof kinds)[number]];

type Listener = {
  /** One event, each at most once and in order. */
  tell: (...event: Told) => void;
  /** The line stands for the first time. The page was filled before that, so what is lively is to be asked for once more. */
  begin: () => void;
  /** Something may have been missed: everything has to be asked for again. */
  reset: () => void;
  /** Whether the server is telling this page its news just now. */
  following?: (yes: boolean) => void;
  /** Whether to listen on while nobody looks at the page. */
  unseen?: () => boolean;
};

export type Line = {
  /** Opens or closes it, as is right now. */
  wake: () => void;
  end: () => void;
};

/** Waits before another try, in milliseconds; the last one repeats, and is what a full server asks for. */
const waits = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

/** A line may be dead without the browser knowing; the heartbeat does not reach scripts. Reopening costs little. */
const silence = 3 * 60_000;

/** Timers that are this late mean that the device slept. */
const beat = 15_000;

/**
 * Follows the server's events while the page is being looked at, or is to listen unseen. After a lost connection, a
 * hidden tab or a sleeping phone it goes on from the last event that it heard.
 */
export function follow({ tell, begin, reset, following, unseen = () => false }: Listener, address = "/api/events"): Line {
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
    // Reopened by ourselves: the browser would give up at the first answer that is not a stream.
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
    // Hidden now: what stands may stay.
    if (!(document.hidden && source && unseen())) open();
  }

  const pulse = setInterval(() => {
    // The timers of a hidden page are let through once a minute.
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

/** Ids are growing numbers. One that cannot be compared is taken as new. */
function isAfter(id: string, last: string) {
  const [a, b] = [Number(id), Number(last)];
  return !id || !last || Number.isNaN(a) || Number.isNaN(b) || a > b;
}
