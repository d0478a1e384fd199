import type { components } from "../api/schema.gen";

/** The names of the events that public pages follow. */
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
/** An event as function arguments: its name and its data. */
export type EventArguments = {
  [Kind in (typeof kinds)[number]]: [kind: Kind, data: Data<Kind>];
}[(typeof kinds)[number]];

type Listener = {
  /** Called once for each event, in order. */
  onEvent: (...event: EventArguments) => void;
  /**
   * Called once, after the first connection. The page was loaded earlier, so data that changes often must be refetched.
   */
  onFirstConnection: () => void;
  /** Called each time the stream reconnects. The server also ends a stream when its session ends. */
  onReconnection?: () => void;
  /** Called when events may have been missed, so everything must be refetched. */
  onReset: () => void;
  /** Called when the stream connects and disconnects. */
  onConnectionChange?: (yes: boolean) => void;
  /** Whether to stay connected while the page is hidden. */
  keepWhileHidden?: () => boolean;
};

export type Connection = {
  /** Connects or disconnects, depending on what the page needs now. */
  wake: () => void;
  end: () => void;
};

/**
 * How long to wait before each retry, in milliseconds. The last delay repeats. It is also what a full server asks for.
 */
const retryDelays = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

/**
 * A connection can die without the browser noticing, and heartbeat comments do not reach scripts. Reconnecting is
 * cheap.
 */
const silenceLimit = 3 * 60_000;

/** If the timer is late by several intervals, the device was asleep. */
const tickInterval = 15_000;

/**
 * Receives the server's events while the page is visible, or is meant to stay connected while hidden. After a lost
 * connection, a hidden tab or a sleeping phone, it resumes after the last event that it received.
 */
export function follow(
  { onEvent, onFirstConnection, onReconnection, onReset, onConnectionChange, keepWhileHidden = () => false }: Listener,
  address = "/api/events",
): Connection {
  let source: EventSource | null = null;
  let lastId = "";
  let connectedBefore = false;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let lastHeardAt = Date.now();
  let lastTickAt = Date.now();

  const wanted = () => !document.hidden || keepWhileHidden();

  function open() {
    close();
    if (!wanted() || navigator.onLine === false) return;
    lastHeardAt = Date.now();
    const opened = new EventSource(lastId ? `${address}?last_event_id=${encodeURIComponent(lastId)}` : address);
    source = opened;
    const on = (name: string, handle: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        if (source !== opened) return;
        lastHeardAt = Date.now();
        handle(event as MessageEvent<string>);
      });

    on("open", () => {
      failures = 0;
      onConnectionChange?.(true);
      if (connectedBefore) onReconnection?.();
      connectedBefore = true;
    });
    on("hello", ({ data }) => {
      if (lastId) return;
      lastId = String((JSON.parse(data) as Data<"hello">).id);
      onFirstConnection();
    });
    on("reset", (event) => {
      lastId = event.lastEventId;
      onReset();
    });
    for (const kind of kinds) {
      on(kind, (event) => {
        if (!isAfter(event.lastEventId, lastId)) return;
        lastId = event.lastEventId;
        onEvent(...([kind, JSON.parse(event.data)] as EventArguments));
      });
    }
    // Reconnects itself, because the browser gives up at the first response that is not a stream.
    opened.addEventListener("error", () => {
      if (source !== opened) return;
      close();
      const wait = retryDelays[Math.min(failures++, retryDelays.length - 1)]!;
      retry = setTimeout(open, wait * (0.8 + Math.random() * 0.4));
    });
  }

  function close() {
    clearTimeout(retry);
    if (source) onConnectionChange?.(false);
    source?.close();
    source = null;
  }

  function wake() {
    failures = 0;
    // The page was just hidden, so an open connection may stay.
    if (!(document.hidden && source && keepWhileHidden())) open();
  }

  const ticking = setInterval(() => {
    // Browsers run a hidden page's timers once a minute.
    const slept = Date.now() - lastTickAt > (document.hidden ? silenceLimit : 3 * tickInterval);
    lastTickAt = Date.now();
    if (wanted() && (slept || (source && Date.now() - lastHeardAt > silenceLimit))) open();
  }, tickInterval);

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
      clearInterval(ticking);
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
