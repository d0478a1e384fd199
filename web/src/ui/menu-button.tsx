import { useId, useRef, useState, type ReactNode } from "react";
import { cx } from "./class-names";

type Props = { face: ReactNode; className?: string; children: (close: () => void) => ReactNode };

/** The panel's width and its distance from the window's edge, in pixels. */
const width = 256;
const edge = 12;

/** A button that opens a small panel below it. Escape or moving the focus away closes the panel. */
export function MenuButton({ face, className, children }: Props) {
  // The open panel's position relative to the button. It is computed before rendering, so that the panel never widens
  // the page.
  const [left, setLeft] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const open = left !== null;
  const close = () => setLeft(null);

  function toggle() {
    if (open || !box.current) return close();
    const { left: start, right: end } = box.current.getBoundingClientRect();
    const wanted = getComputedStyle(box.current).direction === "rtl" ? end - width : start;
    const last = document.documentElement.clientWidth - edge - width;
    setLeft(Math.max(edge, Math.min(wanted, last)) - start);
  }

  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => box.current?.contains(event.relatedTarget) || close()}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        close();
        button.current?.focus();
      }}
    >
      <button ref={button} type="button" aria-expanded={open} aria-controls={id} onClick={toggle} className={className}>
        {face}
      </button>
      {/* Focusable, so that a press inside does not count as leaving. */}
      <div
        id={id}
        tabIndex={-1}
        hidden={!open}
        style={{ left: left ?? 0, width }}
        className={cx("sheet absolute top-full z-20 mt-2 animate-rise p-4 shadow-high", !open && "hidden")}
      >
        {open && children(close)}
      </div>
    </div>
  );
}
