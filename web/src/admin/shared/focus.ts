/** Moves the focus to the page when the focused row was deleted. */
export const restoreFocus = () =>
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  }, 100);

/** As a `ref`: focuses an element when it appears, also in a dialog, which looks for the attribute as it opens. */
export function focusOnMount(element: HTMLElement | null) {
  element?.setAttribute("autofocus", "");
  element?.focus();
}
