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
 * To a form, a date or time that is incomplete or does not exist looks empty, and would be saved that way. This stops
 * the form, and the browser says at the field what is wrong. The same happens for anything else that a field itself
 * rejects.
 */
export function useCompleteFields() {
  useEffect(() => {
    document.addEventListener("submit", refuse, { capture: true });
    return () => document.removeEventListener("submit", refuse, { capture: true });
  }, []);
}
