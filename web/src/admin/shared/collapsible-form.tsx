import { useRef, useState } from "react";
import type { Filters } from "../../lib/filters";
import { buttonLook } from "../../ui/button";
import { Icon, type IconName } from "../../ui/icon";

/**
 * A form above its list, opened by `?action=` in the URL. While collapsed it keeps what was typed. After it was sent,
 * the next one is empty.
 */
export function useCollapsibleForm(action: string, { params, set }: Filters) {
  const open = params.get("action") === action;
  const [everOpened, setEverOpened] = useState(open);
  const [sent, setSent] = useState(false);
  const [forms, setForms] = useState(0);
  const button = useRef<HTMLButtonElement>(null);
  if (open && !everOpened) setEverOpened(true);
  if (sent && !open) {
    setSent(false);
    setForms(forms + 1);
  }

  function close() {
    set({ action: "" }, true);
    button.current?.focus();
  }
  return {
    open,
    everOpened,
    /** The key of the form. A new key empties it. */
    key: forms,
    unfold: () => set({ action }, true),
    close,
    done: () => {
      setSent(true);
      close();
    },
    button: { ref: button, open, onClick: () => set({ action: open ? "" : action }, true) },
  };
}

type ButtonProps = ReturnType<typeof useCollapsibleForm>["button"] & { icon: IconName; children: string };

export const CollapsibleFormButton = ({ ref, open, onClick, icon, children }: ButtonProps) => (
  <button
    ref={ref}
    type="button"
    aria-expanded={open}
    onClick={onClick}
    className={buttonLook(open ? "line" : "main", "max-sm:w-full")}
  >
    <Icon name={open ? "close" : icon} />
    {children}
  </button>
);
