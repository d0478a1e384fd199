import { useId, useRef, useState, type FormEvent } from "react";
import { flushSync } from "react-dom";
import { isApiError } from "../api/client";
import { dismissErrors, reportFailure } from "../ui/toast";

/** Messages, keyed by the name of their field. */
export type Errors = Record<string, string>;

export type FormOptions<Result> = {
  /** Validation before the request; the server validates everything again. */
  check?: (data: FormData) => Errors;
  submit: (data: FormData) => Promise<Result>;
  done?: (result: Result, form: HTMLFormElement) => void | Promise<void>;
  /**
   * Returns true if the failure needs no message on the form. Otherwise returns what to show instead of the server's
   * message: a sentence, or messages by field.
   */
  failed?: (error: unknown) => boolean | void | string | Errors;
  /** Stores what was typed at each keystroke. Called with null once the form was sent. */
  keep?: (typed: FormData | null) => void;
};

/**
 * The one form hook of both areas. It validates, sends, shows each error beside its field, and focuses the first one.
 * Inputs keep what was typed, and clearing them after success is up to the caller. Forms of the staff area use it
 * through `useStaffForm`, which adds leave warnings and handles records that somebody else has changed.
 */
export function useForm<Result>({ check, submit, done, failed, keep }: FormOptions<Result>) {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [message, setMessage] = useState<string | null>(null);
  const sending = useRef(false);
  const action = useId();

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending.current) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    dismissErrors(action);
    const found = reportFailure(action, () => check?.(data)) ?? {};
    show(form, found, null);
    if (Object.keys(found).length > 0) return;

    sending.current = true;
    setBusy(true);
    try {
      const result = await submit(data);
      keep?.(null);
      await done?.(result, form);
    } catch (error) {
      const handled = reportFailure(action, () => failed?.(error));
      if (handled === true) return;
      if (typeof handled === "string") return show(form, {}, handled);
      const fields = handled || (isApiError(error) ? error.fields : {});
      const placed = Object.keys(fields).some((name) => form.elements.namedItem(name));
      show(form, fields, placed ? null : explain(error));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  function show(form: HTMLFormElement, fields: Errors, text: string | null) {
    // Updates synchronously, so that the field is marked invalid before it gets the focus.
    flushSync(() => {
      setErrors(fields);
      setMessage(text);
    });
    const first = [...form.elements].find((e) => "name" in e && typeof e.name === "string" && e.name in fields);
    if (first instanceof HTMLElement) first.focus();
  }

  function onInput(event: FormEvent<HTMLFormElement>) {
    keep?.(new FormData(event.currentTarget));
    const { name } = event.target as HTMLInputElement;
    clear(name);
  }

  /** Removes the error of one field, or everything that the form shows. */
  function clear(name?: string) {
    if (name === undefined) {
      setErrors({});
      setMessage(null);
    } else if (name in errors)
      setErrors((all) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)));
  }

  return { busy, errors, message, clear, form: { onSubmit, onInput, noValidate: true } };
}

export function explain(error: unknown) {
  if (!isApiError(error)) return "Something went wrong. Please try again.";
  if (error.retryAfter && error.status === 429 && !/\d/.test(error.message)) {
    return `${error.message} You can try again in ${waitingTime(error.retryAfter)}.`;
  }
  return error.message;
}

/** "40 seconds", "12 minutes". */
export const waitingTime = (seconds: number) =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** The server's message, or the fallback if the server does not know the reason itself. */
export const explainOr = (error: unknown, words: string) =>
  isApiError(error) && error.code !== "internal" ? explain(error) : words;

export const text = (data: FormData, name: string) => String(data.get(name) ?? "");

/** Makes a check: `required({ email: "Please enter your email." })`. */
export const required = (sentences: Errors) => (data: FormData) =>
  Object.fromEntries(Object.entries(sentences).filter(([name]) => text(data, name).trim() === ""));
