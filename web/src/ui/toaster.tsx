import { useEffect, useRef, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./button";
import { cx } from "./class-names";
import { Icon } from "./icon";
import { dismiss, leaveLater, shownToasts, stay, subscribe } from "./toast";

export function Toaster({ onFollow }: { onFollow: (href: string) => void }) {
  const shown = useSyncExternalStore(subscribe, shownToasts);
  const layer = useRef<HTMLOListElement>(null);

  // The top layer shows what was opened last, so reopening puts the toasts above a dialog.
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
      className="pointer-events-none fixed inset-x-0 top-auto bottom-0 z-50 m-0 grid h-auto w-auto grid-cols-[minmax(0,1fr)] justify-items-end gap-2 overflow-visible border-0 bg-transparent p-4 text-ink"
    >
      {shown.map(({ id, title, description, written, destructive, href }) => (
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
          <div className="min-w-0 flex-1 wrap-anywhere">
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
              <p dir={written ? "auto" : undefined} className={cx("text-sm", !destructive && "text-muted")}>
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
