import { useId, type ReactNode } from "react";
import { IconButton } from "./button";
import { isOnBackdrop, useModal } from "./dialog";

type Props = { title: ReactNode; onClose: () => void; children: ReactNode };

/**
 * A modal along the far edge, or a whole page on a phone. Render it to open it. Escape, the cross and the backdrop ask
 * to close it.
 */
export function Drawer({ title, onClose, children }: Props) {
  const modal = useModal(onClose);
  const id = useId();

  return (
    <dialog
      {...modal}
      aria-labelledby={id}
      onMouseDown={(event) => isOnBackdrop(event) && onClose()}
      className="m-0 ms-auto h-dvh max-h-none w-[min(34rem,100vw)] max-w-none border-line bg-paper p-0 shadow-high animate-rise open:flex open:flex-col sm:border-s"
    >
      <div className="flex items-start justify-between gap-3 border-b border-line py-3 ps-5 pe-3">
        <h2 id={id} className="min-w-0 pt-2 text-xl">
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {/* Positioned, because visually hidden elements inside would otherwise make the whole drawer scroll. */}
      <div className="relative min-h-0 flex-1 overflow-auto p-5">{children}</div>
    </dialog>
  );
}
