import { useState, type DragEvent } from "react";

/** The list with one entry moved to another position. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, items[from]!);
}

/** Reorders a list by dragging. Each list adds its own keyboard controls. */
export function useDragOrder(move: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  return {
    /** Whether the dragged entry would be dropped here. */
    isTarget: (i: number) => dragged !== null && over === i && dragged !== i,
    props: (i: number) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        setDragged(i);
        event.dataTransfer.effectAllowed = "move";
        // Firefox does not drag an element without data.
        event.dataTransfer.setData("text/plain", String(i));
      },
      onDragOver: (event: DragEvent) => {
        if (dragged === null) return;
        event.preventDefault();
        setOver(i);
      },
      onDrop: (event: DragEvent) => {
        if (dragged === null) return;
        event.preventDefault();
        move(dragged, i);
      },
      onDragEnd: () => {
        setDragged(null);
        setOver(null);
      },
    }),
  };
}
