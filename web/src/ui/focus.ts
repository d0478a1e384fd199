/** Moves the focus to an element after the focused one was deleted. */
export const restoreFocusTo = (element: HTMLElement | null) =>
  setTimeout(() => {
    if (document.activeElement === document.body) element?.focus({ preventScroll: true });
  }, 100);

/** Moves the focus to the page after the focused row was deleted. */
export const restoreFocus = () => restoreFocusTo(document.getElementById("main"));

/**
 * A `ref` that focuses an element when it appears. It also works in a dialog, which looks for the attribute as it
 * opens.
 */
export function focusOnMount(element: HTMLElement | null) {
  element?.setAttribute("autofocus", "");
  element?.focus();
}
