import { useEffect, useEffectEvent, useState } from "react";
import { Icon } from "../../../ui/icon";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Accepts files that are dropped anywhere on the page. */
export function DropArea({ onFiles }: { onFiles: (files: File[]) => void }) {
  const [over, setOver] = useState(false);
  const dropped = useEffectEvent(onFiles);

  useEffect(() => {
    // Entering an inner element is reported before leaving the outer one.
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (hasFiles(event) && --depth <= 0) setOver(false);
    };
    const move = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) dropped(files);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", move);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", move);
      removeEventListener("drop", drop);
    };
  }, []);

  if (!over) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-40 grid place-content-center justify-items-center gap-3 rounded-lg border-2 border-dashed border-pine bg-pine-wash p-6 text-center text-balance text-pine">
      <Icon name="up" className="size-10" />
      <p className="font-head text-xl">Drop the videos here to upload them</p>
    </div>
  );
}
