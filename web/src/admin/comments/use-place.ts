import { useEffect, useRef, useState } from "react";
import { restoreFocus } from "../../ui/focus";

/**
 * The current row of a list that is navigated by keyboard. When the row leaves the list, the row that takes its place
 * becomes current.
 */
export function usePlace<Row extends { id: string }>(rows: Row[]) {
  const [place, setPlace] = useState<{ id: string | null; index: number }>({ id: null, index: 0 });
  const elements = useRef(new Map<string, HTMLElement>());
  const staying = useRef(false);
  const found = rows.findIndex(({ id }) => id === place.id);
  const index = found >= 0 ? found : Math.min(place.index, rows.length - 1);
  const current = rows[index];

  const entered = () => Boolean(current && elements.current.get(current.id)?.contains(document.activeElement));
  const focus = (row: Row | undefined) => (row && elements.current.get(row.id))?.focus();

  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  });

  // The focused button may have disappeared with its row, or with the row's reports.
  useEffect(() => {
    if (!staying.current || document.querySelector("dialog[open]")) return;
    staying.current = false;
    if (current) focus(current);
    else restoreFocus();
  }, [current, rows]);

  function goTo(row: Row) {
    const next = rows.findIndex(({ id }) => id === row.id);
    setPlace({ id: row.id, index: next < 0 ? index : next });
  }

  return {
    current,
    /** Whether the focus is inside the current row. */
    entered,
    goTo,
    /** Moves down by this many rows, or up if negative. The first key press only enters the list. */
    step(by: number) {
      const row = rows[entered() ? Math.min(Math.max(index + by, 0), rows.length - 1) : index];
      focus(row);
    },
    /** Focuses the current row once the list has changed. */
    stay: () => (staying.current = true),
    /** Focuses the current row after a dialog, unless the dialog returned the focus itself. */
    resume: () =>
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        if (latest.current) focus(latest.current);
        else restoreFocus();
      }),
    rowRef: (row: Row) => (element: HTMLElement | null) => {
      if (element) elements.current.set(row.id, element);
      else elements.current.delete(row.id);
    },
  };
}
