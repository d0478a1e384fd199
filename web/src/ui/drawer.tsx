import { useId, type ReactNode } from "react";
import { IconButton } from "./button";
import { escapeAsks, isOnBackdrop, useModal } from "./dialog";

type Props = { title: ReactNode; onClose: () => void; children: ReactNode };

/** A modal along the far edge, a whole page on a phone: render it to open it. Escape, the cross and the backdrop ask to close it. */
export function Drawer({ title, onClose, children }: Props) {
  const ref = useModal();
  const id = useId();

  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onKeyDown={(event) => escapeAsks(event, onClose)}
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      // A phone closes a dialog at the second Back even when it is canceled; this one closes only with its owner.
      onClose={(event) =>
        event.target === ref.current && ref.current.isConnected && !ref.current.open && ref.current.showModal()
      }
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
