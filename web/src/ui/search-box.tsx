import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { cx } from "./class-names";
import { Icon } from "./icon";

type Props = {
  label: string;
  placeholder?: string;
  value: string;
  /** Absent in the shell of a page, where typed text is handed to the box that replaces this one. */
  onSearch?: ((term: string) => void) | undefined;
  className?: string;
};

/** What a shell's box hands to the box that replaces it. */
let left: { typed: string; focused: boolean } | null = null;

/** Searches shortly after typing stops. `/` focuses the box from anywhere on the page. */
export function SearchBox({ label, placeholder, value, onSearch, className }: Props) {
  const ref = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Uses the current callback, because a filter pressed in the meantime has changed the URL.
  const latest = useRef(onSearch);
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);

  // Something else changed the URL: Back, or Clear Search.
  if (seen !== value) {
    setSeen(value);
    if (typed.trim() !== value) setTyped(value);
  }

  useEffect(() => {
    latest.current = onSearch;
  });

  useEffect(() => {
    function slash(event: KeyboardEvent) {
      const from = event.target;
      const typing =
        from instanceof HTMLElement && (from.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(from.tagName));
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      ref.current?.focus();
      ref.current?.select();
    }
    document.addEventListener("keydown", slash);
    return () => {
      document.removeEventListener("keydown", slash);
      clearTimeout(timer.current);
    };
  }, []);

  function search(term: string, wait: number) {
    setTyped(term);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current?.(term.trim()), wait);
  }

  const takeOver = useEffectEvent((input: HTMLInputElement) => {
    if (!onSearch)
      return () => {
        left = { typed: input.value, focused: input === document.activeElement };
      };
    if (left?.focused) input.focus();
    if (left?.typed) search(left.typed, 0);
    left = null;
    return undefined;
  });

  // In a layout effect, the box that is being replaced is still in the document.
  useLayoutEffect(() => takeOver(ref.current!), []);

  return (
    <div role="search" className={cx("relative", className)}>
      <Icon name="search" className="pointer-events-none absolute inset-y-0 start-3.5 my-auto text-muted" />
      <input
        ref={ref}
        type="search"
        dir="auto"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder ?? label}
        value={typed}
        maxLength={200}
        onChange={(event) => search(event.target.value, 250)}
        onKeyDown={(event) => {
          if (event.key === "Enter") search(typed, 0);
          if (event.key === "Escape") search("", 0);
        }}
        className="peer min-h-tap w-full min-w-0 rounded-md border border-edge bg-surface ps-11 pe-11 text-ellipsis [&::-webkit-search-cancel-button]:hidden"
      />
      {typed ? (
        <button
          type="button"
          aria-label="Clear search text"
          onClick={() => {
            search("", 0);
            ref.current?.focus();
          }}
          className="absolute end-0 top-0 grid size-tap place-items-center rounded-md text-muted hover:text-ink"
        >
          <Icon name="close" />
        </button>
      ) : (
        <kbd
          aria-hidden="true"
          className="pointer-events-none absolute inset-y-0 end-3 my-auto h-max rounded-[5px] border border-line bg-sunk px-2 font-sans text-xs text-muted peer-focus:hidden any-pointer-coarse:hidden"
        >
          /
        </kbd>
      )}
    </div>
  );
}
