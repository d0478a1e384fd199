import { useEffect, useRef, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./button";
import { cx } from "./class-names";
import { Icon } from "./icon";

type Message = {
  title: string;
  description?: string | undefined;
  destructive?: boolean | undefined;
  /** Where a press on it leads. */
  href?: string | undefined;
};
type Toast = Message & { id: number; action: string | undefined };

const lifetime = 5_000;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();
let toasts: Toast[] = [];
let lastId = 0;

/** The form or action that is reporting its failure. */
let action: string | undefined;

/** Shows a message for five seconds. May be called from anywhere. */
export function toast(message: Message) {
  const id = ++lastId;
  change([...toasts.slice(-2), { ...message, id, action }]);
  leaveLater(id);
}

/** The errors shown by `report` belong to this form or action: they go as soon as it is tried again. */
export function reportFailure<Result>(of: string, report: () => Result) {
  action = of;
  try {
    return report();
  } finally {
    action = undefined;
  }
}

/** Call when a form is sent, or an action is tried, once more: what its last try said no longer counts. */
export const dismissErrors = (of: string) => change(toasts.filter((t) => t.action !== of));

export const errorToast = (description: string) => toast({ title: "Error", description, destructive: true });

export function dismissToasts() {
  timers.forEach((timer) => clearTimeout(timer));
  change([]);
}

function dismiss(id: number) {
  stay(id);
  change(toasts.filter((t) => t.id !== id));
}

function stay(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function leaveLater(id: number) {
  stay(id);
  timers.set(
    id,
    setTimeout(() => dismiss(id), lifetime),
  );
}

function change(next: Toast[]) {
  toasts = next;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toaster({ onFollow }: { onFollow: (href: string) => void }) {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const layer = useRef<HTMLOListElement>(null);

  // The top layer shows what was opened last: reopening puts toasts above a dialog.
  useEffect(() => {
    if (!layer.current?.showPopover) return;
    layer.current.hidePopover();
    if (shown.length > 0) layer.current.showPopover();
  }, [shown]);

  return createPortal(
    <ol
      ref={layer}
      popover="manual"
      aria-live="polite"
      aria-label="Notifications"
      className="pointer-events-none fixed inset-x-0 top-auto bottom-0 z-50 m-0 grid h-auto w-auto justify-items-end gap-2 overflow-visible border-0 bg-transparent p-4 text-ink"
    >
      {shown.map(({ id, title, description, destructive, href }) => (
        <li
          key={id}
          onPointerEnter={() => stay(id)}
          onPointerLeave={() => leaveLater(id)}
          onFocus={() => stay(id)}
          onBlur={() => leaveLater(id)}
          className={cx(
            "sheet pointer-events-auto relative flex w-full max-w-96 animate-rise items-start gap-3 p-4 shadow-high",
            destructive ? "border-clay! bg-clay-wash! text-clay" : "border-s-4! border-s-pine!",
          )}
        >
          {destructive && <Icon name="alert" className="mt-0.5" />}
          <div className="min-w-0 flex-1">
            <p className="font-semibold">
              {href ? (
                <a
                  href={href}
                  className="text-inherit no-underline after:absolute after:inset-0"
                  onClick={(event) => {
                    event.preventDefault();
                    dismiss(id);
                    onFollow(href);
                  }}
                >
                  {title}
                </a>
              ) : (
                title
              )}
            </p>
            {description && (
              <p dir="auto" className={cx("text-sm", !destructive && "text-muted")}>
                {description}
              </p>
            )}
          </div>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} className="relative -m-2.5" />
        </li>
      ))}
    </ol>,
    document.body,
  );
}
