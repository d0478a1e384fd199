/** As a `ref`: takes the focus when it appears, also inside a dialog, which looks for the attribute as it opens. */
export function takesFocus(element: HTMLElement | null) {
  element?.setAttribute("autofocus", "");
  element?.focus();
}
