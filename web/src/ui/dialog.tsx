import {
  useEffect,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
} from "react";
import { Button, IconButton, type ButtonLook } from "./button";
import { cx } from "./class-names";
import { directionOf } from "./direction";
import { FormMessage } from "./field";
import { InlineTitle } from "./inline-title";
import { dismissErrors, reportFailure } from "./toast";
import { splitScripts } from "./two-scripts";

type DialogProps = { title: ReactNode; onClose: () => void; children: ReactNode; className?: string };

/**
 * A modal on the browser's own `<dialog>`. Render it to open it. Escape and the cross close it. The backdrop closes it
 * only until something was entered, because people on a phone press beside a field to put the keyboard away.
 */
export function Dialog({ title, onClose, children, className }: DialogProps) {
  const modal = useModal(onClose);
  const id = useId();
  const entered = useRef(false);

  return (
    <dialog
      {...modal}
      aria-labelledby={id}
      onInput={() => {
        entered.current = true;
      }}
      onMouseDown={(event) => !entered.current && isOnBackdrop(event) && onClose()}
      className={cx(
        "sheet m-auto max-h-[calc(100dvh-2rem)] w-[min(100%-2rem,32rem)] overflow-auto p-0 shadow-high animate-rise",
        className,
      )}
    >
      <div className="p-[min(1.25rem,6vw)] wrap-anywhere">
        <div className="mb-4 flex items-start justify-between gap-3">
          <h2 id={id} className="min-w-0 text-xl" dir="auto">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} className="-me-2 -mt-2.5" />
        </div>
        {children}
      </div>
    </dialog>
  );
}

/**
 * The props of a `<dialog>` that is open as long as it is rendered, and returns the focus afterwards. Escape and a
 * phone's Back button call `onClose`, which may keep it open.
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return {
    ref,
    onKeyDown: (event: KeyboardEvent) => escapeAsks(event, onClose),
    // A file field or a dialog inside also sends this event.
    onCancel(event: SyntheticEvent<HTMLDialogElement>) {
      if (event.target !== event.currentTarget || !event.cancelable) return;
      event.preventDefault();
      onClose();
    },
    // A second Back in a row closes a dialog without asking, but only its owner may close it.
    onClose({ target, currentTarget }: SyntheticEvent<HTMLDialogElement>) {
      if (target !== currentTarget || !currentTarget.isConnected || currentTarget.open) return;
      // On a closed site the whole page is hidden, and the page itself reopens the dialog.
      if (currentTarget.closest("[hidden]")) return;
      currentTarget.showModal();
      onClose();
    },
  };
}

/** Whether a press is outside the dialog. The dialog's scrollbar belongs to it. */
export function isOnBackdrop({ target, currentTarget, clientX, clientY }: MouseEvent<HTMLElement>) {
  if (target !== currentTarget) return false;
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/**
 * Handles Escape before the browser does. At a second Escape in a row, the browser would close the dialog and the one
 * below it.
 */
function escapeAsks(event: KeyboardEvent, onClose: () => void) {
  if (event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  onClose();
}

type ConfirmProps = {
  title: string;
  /** What people call the thing that is deleted. */
  name: ReactNode;
  children?: ReactNode;
  action: string;
  /** Red, unless nothing is lost. */
  look?: ButtonLook;
  onConfirm: () => Promise<unknown> | unknown;
  /** Called if the action fails. If it returns a sentence, the dialog shows that instead of the error's own message. */
  failed?: (error: unknown) => string | void;
  onClose: () => void;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, name, children, action, look = "danger", onConfirm, failed, onClose } = props;
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  async function confirm() {
    if (busy) return;
    setBusy(true);
    setFailure(null);
    dismissErrors(id);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      const said = reportFailure(id, () => failed?.(error));
      setFailure(said ?? (error instanceof Error ? error.message : "Something went wrong. Please try again."));
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <div
        dir={typeof name === "string" ? directionOf(splitScripts(name)[0]) : "auto"}
        className="rounded-md bg-sunk px-4 py-3 font-medium"
      >
        {typeof name === "string" ? <InlineTitle>{name}</InlineTitle> : name}
      </div>
      <div className="mt-3 text-muted">{children}</div>
      {failure && (
        <div className="mt-4">
          <FormMessage>{failure}</FormMessage>
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button look="line" onClick={onClose}>
          Cancel
        </Button>
        <Button look={look} busy={busy} onClick={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
