import { useEffect, useEffectEvent } from "react";

/** Calls the handler of a key that is pressed without modifiers, outside fields and dialogs. */
export function useShortcuts(handlers: Record<string, () => void>) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // Holding a key down keeps walking through the list, but decides only once.
    if (event.repeat && !/^[jk]$/i.test(event.key)) return;
    const from = event.target;
    const typing =
      from instanceof HTMLElement && (from.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(from.tagName));
    if (typing || document.querySelector("dialog[open]")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(handlers, name)) return;
    event.preventDefault();
    handlers[name]!();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}

const keys: readonly [keys: readonly string[], what: string][] = [
  [["J", "K"], "next, previous"],
  [["A"], "keep or approve"],
  [["H"], "hide or show"],
  [["D"], "delete"],
  [["U"], "undo"],
  [["O"], "open the video"],
];

/** The keys of the queue, shown only where there is a keyboard. */
export const ShortcutHint = () => (
  <p className="mb-3 flex flex-wrap gap-x-4 gap-y-1.5 text-sm text-muted any-pointer-coarse:hidden">
    <span className="sr-only">Keys: </span>
    {keys.map(([names, what]) => (
      <span key={what} className="inline-flex items-center gap-1.5">
        {names.map((name) => (
          <kbd key={name} className="rounded-[5px] border border-line bg-sunk px-1.5 font-sans text-xs">
            {name}
          </kbd>
        ))}
        {what}
      </span>
    ))}
  </p>
);
