import { useId, useRef, type ReactNode } from "react";
import type { Quality } from "./quality";
import { Shape } from "./shape";
import { rates, setRate } from "./shortcuts";

type Props = {
  media: HTMLVideoElement;
  rate: number;
  quality: Quality | null;
  open: boolean;
  onOpen: (open: boolean) => void;
  /** Settings that only some videos have. */
  children?: ReactNode;
};

/** Speed and quality. The lists are the device's own, which open above any player, however small it is. */
export function SettingsMenu({ media, rate, quality, open, onOpen, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <div
      ref={box}
      className="vp-settings"
      data-own-keys={open || undefined}
      onBlur={(event) => event.relatedTarget && !box.current?.contains(event.relatedTarget) && onOpen(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        onOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        className="vp-button"
        aria-label="Settings"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => onOpen(!open)}
      >
        <Shape name="settings" />
      </button>
      <div id={id} className="vp-menu" hidden={!open}>
        <label>
          Speed
          <select value={rate} onChange={(event) => setRate(media, Number(event.target.value))}>
            {[...new Set([...rates, rate])]
              .toSorted((a, b) => a - b)
              .map((one) => (
                <option key={one} value={one}>
                  {one === 1 ? "Normal" : `${one}×`}
                </option>
              ))}
          </select>
        </label>
        {children}
        {quality && quality.rungs.length > 1 && (
          <label>
            Quality
            <select
              value={quality.chosen ?? ""}
              onChange={(event) => quality.choose(event.target.value ? Number(event.target.value) : null)}
            >
              <option value="">Auto</option>
              {quality.rungs.map((lines) => (
                <option key={lines} value={lines}>
                  {lines}p
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </div>
  );
}
