import { useEffect, useRef, useState } from "react";
import { Icon } from "../ui/icon";
import { Skeleton } from "../ui/states";

const startAfter = 500;
const scrollAfter = 200;
const lowest = 480;
const highest = 12_000;

/**
 * Another company's shop. It gets its own frame and nothing of our page: no script, no navigation. Its messages are
 * accepted only from its own window and origin (decision S1).
 */
export function ShopFrame({ address, title }: { address: string; title: string }) {
  const shop = safeShop(address);
  const section = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [started, setStarted] = useState(false);
  const [loaded, setLoaded] = useState(false);
  const [height, setHeight] = useState(900);
  const origin = shop?.origin;

  useEffect(() => {
    const timer = setTimeout(() => setStarted(true), startAfter);
    return () => clearTimeout(timer);
  }, []);

  useEffect(() => {
    if (!origin) return;
    let scrolling: ReturnType<typeof setTimeout> | undefined;

    function heard({ origin: from, source, data }: MessageEvent<unknown>) {
      if (from !== origin || !source || source !== frame.current?.contentWindow) return;
      const said = understand(data);
      if (said?.type === "height") setHeight(Math.min(highest, Math.max(lowest, Math.ceil(said.height))));
      if (said?.type === "navigate") {
        const target = parse(said.url, address);
        if (target?.origin === origin) location.assign(target.href);
      }
      if (said?.type === "scroll") {
        clearTimeout(scrolling);
        scrolling = setTimeout(() => section.current?.scrollIntoView(), scrollAfter);
      }
    }

    // Tells the shop which part of it is visible, so that it can place its dialogs there.
    let waiting = 0;
    function tell() {
      waiting ||= requestAnimationFrame(() => {
        waiting = 0;
        const box = frame.current?.getBoundingClientRect();
        if (box)
          frame.current?.contentWindow?.postMessage(
            { type: "scroll", top: Math.max(0, Math.round(-box.top)), height: innerHeight },
            origin!,
          );
      });
    }

    addEventListener("message", heard);
    addEventListener("scroll", tell, { passive: true });
    return () => {
      removeEventListener("message", heard);
      removeEventListener("scroll", tell);
      clearTimeout(scrolling);
      cancelAnimationFrame(waiting);
    };
  }, [origin, address]);

  if (!shop) return null;
  return (
    <section ref={section} id="store" aria-labelledby="shop" className="mx-auto max-w-[1040px] pt-section">
      <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div>
          <h2 id="shop">{title}</h2>
          <p className="mt-1 text-sm text-muted">
            This shop is run by {shop.host}, with its own terms and privacy policy.
          </p>
        </div>
        <a
          href={shop.href}
          target="_blank"
          rel="noopener noreferrer"
          className="link inline-flex min-h-tap items-center gap-1.5"
        >
          Open the shop by itself <Icon name="out" className="size-[1em]" />
        </a>
      </div>
      <div className="relative">
        {!loaded && <Skeleton className="absolute inset-0 rounded-lg" />}
        {started && (
          <iframe
            ref={frame}
            src={shop.href}
            title="Camp shop"
            // Keeps the shop's own origin, so that it can be checked. It is never ours, so the frame cannot undo its
            // sandbox.
            // oxlint-disable-next-line react/iframe-missing-sandbox
            sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="strict-origin-when-cross-origin"
            allow="payment"
            onLoad={() => setLoaded(true)}
            style={{ height }}
            className="relative block w-full rounded-lg border-0"
          />
        )}
        {!started && <div style={{ height }} />}
      </div>
    </section>
  );
}

/** A shop on our own origin could escape the sandbox. */
function safeShop(address: string) {
  const url = parse(address);
  const loopback = url?.hostname === "127.0.0.1" || url?.hostname === "localhost";
  const trusted = url?.protocol === "https:" || (url?.protocol === "http:" && loopback);
  return url && trusted && url.origin !== location.origin ? url : null;
}

function parse(address: string, base?: string) {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

type Said = { type: "height"; height: number } | { type: "navigate"; url: string } | { type: "scroll" };

function understand(data: unknown): Said | null {
  if (typeof data !== "object" || data === null || !("type" in data)) return null;
  const { type } = data;
  if (type === "scroll") return { type };
  if (type === "height" && "height" in data && typeof data.height === "number" && Number.isFinite(data.height))
    return { type, height: data.height };
  if (type === "navigate" && "url" in data && typeof data.url === "string" && data.url.length <= 2_000)
    return { type, url: data.url };
  return null;
}
