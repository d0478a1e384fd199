import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { cx } from "./class-names";

type Props = { face: ReactNode; className?: string; start?: boolean; children: (close: () => void) => ReactNode };

/** Pixels that a panel keeps from the edge of the window. */
const edge = 12;

/** A button that opens a small panel below itself; Escape or moving the focus away closes it. */
export function MenuButton({ face, className, start = false, children }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();

  // Keeps the panel inside the window on a narrow phone.
  useLayoutEffect(() => {
    if (!open || !panel.current) return;
    const { style } = panel.current;
    style.translate = "";
    const { left, right } = panel.current.getBoundingClientRect();
    const room = document.documentElement.clientWidth - edge;
    style.translate = `${Math.max(edge, left + Math.min(0, room - right)) - left}px`;
  }, [open]);

  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => !box.current?.contains(event.relatedTarget) && setOpen(false)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className={className}
      >
        {face}
      </button>
      {/* Focusable, so that a press inside does not count as leaving. */}
      <div
        ref={panel}
        id={id}
        tabIndex={-1}
        hidden={!open}
        className={cx(
          "sheet absolute top-full z-20 mt-2 w-64 p-4 shadow-high animate-rise",
          start ? "start-0" : "end-0",
          !open && "hidden",
        )}
      >
        {open && children(() => setOpen(false))}
      </div>
    </div>
  );
}
