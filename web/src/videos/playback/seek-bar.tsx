import { useEffect, useState, type PointerEvent } from "react";
import { duration } from "../../lib/format";
import { directionOf } from "../../ui/direction";
import type { useMediaState } from "./media-state";
import { chapterAt, type Chapter } from "./chapters";
import { previewsOf, type Preview } from "./previews";
import { seek } from "./shortcuts";

type Props = {
  media: HTMLVideoElement;
  state: ReturnType<typeof useMediaState>;
  previews: string | null | undefined;
  chapters: readonly Chapter[];
};

/** The timeline, with a picture of the position under the pointer. */
export function SeekBar({ media, state: { time, duration: length, loaded }, previews, chapters }: Props) {
  const [pointed, setPointed] = useState<number | null>(null);
  const told = useTold(time);
  const pictures = usePreviews(previews, pointed !== null);
  const chapter = (pointed !== null && chapterAt(chapters, pointed)?.title) || "";
  const percent = (seconds: number) => (length > 0 ? `${Math.min(100, (seconds / length) * 100)}%` : "0%");

  function point({ clientX, currentTarget }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(Math.max(0, Math.min(1, (clientX - left) / width)) * length);
  }

  return (
    <div className="vp-seek" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setPointed(null)}>
      <div className="vp-track">
        <div className="vp-loaded" style={{ width: percent(loaded) }} />
        <div className="vp-played" style={{ width: percent(time) }} />
        {chapters
          .filter(({ start_seconds }) => start_seconds > 0)
          .map(({ start_seconds }) => (
            <div key={start_seconds} className="vp-mark" style={{ insetInlineStart: percent(start_seconds) }} />
          ))}
      </div>
      <input
        type="range"
        aria-label="Seek"
        aria-valuetext={[`${duration(told.time)} of ${duration(length)}`, chapterAt(chapters, told.time)?.title]
          .filter(Boolean)
          .join(", ")}
        onFocus={told.tell}
        min={0}
        max={Math.max(1, length)}
        step="any"
        value={Math.min(time, length)}
        onChange={(event) => seek(media, Number(event.target.value))}
      />
      {pointed !== null && length > 0 && (
        <div className="vp-preview" style={{ "--at": percent(pointed) } as React.CSSProperties}>
          <Picture preview={pictures.find(({ start, end }) => pointed >= start && pointed < end)} />
          <span>
            {duration(pointed)} <bdi dir={directionOf(chapter)}>{chapter}</bdi>
          </span>
        </div>
      )}
    </div>
  );
}

/** Changes the announced time only now and then, because screen readers read every change of the focused bar aloud. */
function useTold(time: number) {
  const [told, setTold] = useState(time);
  const [before, setBefore] = useState(time);
  if (time !== before) {
    setBefore(time);
    const jumped = Math.abs(time - before) > 1.5;
    if (jumped || Math.abs(time - told) >= 15) setTold(time);
  }
  return { time: told, tell: () => setTold(time) };
}

const Picture = ({ preview }: { preview: Preview | undefined }) =>
  preview && (
    <div
      className="vp-picture"
      style={{
        width: preview.width,
        height: preview.height,
        backgroundImage: `url("${preview.url}")`,
        backgroundPosition: `-${preview.x}px -${preview.y}px`,
      }}
    />
  );

/** The preview pictures. They load once somebody points at the timeline. */
function usePreviews(address: string | null | undefined, wanted: boolean) {
  const [previews, setPreviews] = useState<Preview[]>([]);
  const [asked, setAsked] = useState(false);
  if (wanted && !asked) setAsked(true);
  useEffect(() => {
    if (!address || !asked) return;
    const url = new URL(address, location.href).href;
    const stop = new AbortController();
    fetch(new Request(url, { credentials: "same-origin", signal: stop.signal }))
      .then(async (answer) => answer.ok && setPreviews(previewsOf(await answer.text(), url)))
      // Without pictures, the time still appears.
      .catch(() => undefined);
    return () => stop.abort();
  }, [address, asked]);
  return previews;
}
