import { useEffect } from "react";

function refuse(event: SubmitEvent) {
  const fields = event.target instanceof HTMLFormElement ? [...event.target.elements] : [];
  const wrong = fields
    .filter((field) => field instanceof HTMLInputElement)
    .find(({ validity }) => validity.badInput || validity.customError);
  if (!wrong) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  wrong.reportValidity();
}

/**
 * Browsers take a date or a time that is incomplete, or that does not exist, for none, and a form would save that. It is
 * not sent instead, and the browser says at the field what is wrong; so it does with what a field refuses by itself.
 */
export function useCompleteFields() {
  useEffect(() => {
    document.addEventListener("submit", refuse, { capture: true });
    return () => document.removeEventListener("submit", refuse, { capture: true });
  }, []);
}
