import { useRef, useState, type FormEvent } from "react";
import { flushSync } from "react-dom";
import { isApiError } from "../api/client";

type Errors = Record<string, string>;

type Options<Result> = {
  /** What can be said before asking the server; the server checks everything again. */
  check?: (data: FormData) => Errors;
  submit: (data: FormData) => Promise<Result>;
  done?: (result: Result, form: HTMLFormElement) => void | Promise<void>;
  /** Return true when the failure has been dealt with and needs no message on the form. */
  failed?: (error: unknown, form: HTMLFormElement) => boolean | void;
};

/**
 * One form's life: check, send, put each complaint beside its field and focus the first.
 * Inputs keep what was typed; clearing after success is the caller's choice.
 */
export function useForm<Result>({ check, submit, done, failed }: Options<Result>) {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [message, setMessage] = useState<string | null>(null);
  const sending = useRef(false);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending.current) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const found = check?.(data) ?? {};
    complain(form, found, null);
    if (Object.keys(found).length > 0) return;

    sending.current = true;
    setBusy(true);
    try {
      const result = await submit(data);
      await done?.(result, form);
    } catch (error) {
      if (failed?.(error, form)) return;
      const fields = isApiError(error) ? error.fields : {};
      const placed = Object.keys(fields).some((name) => form.elements.namedItem(name));
      complain(form, fields, placed ? null : explain(error));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  function complain(form: HTMLFormElement, fields: Errors, text: string | null) {
    // At once, so that the field is marked invalid before a screen reader arrives at it.
    flushSync(() => {
      setErrors(fields);
      setMessage(text);
    });
    const first = [...form.elements].find((e) => "name" in e && typeof e.name === "string" && e.name in fields);
    if (first instanceof HTMLElement) first.focus();
  }

  function onInput(event: FormEvent<HTMLFormElement>) {
    const { name } = event.target as HTMLInputElement;
    if (name in errors) setErrors((all) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)));
  }

  return { busy, errors, message, form: { onSubmit, onInput, noValidate: true } };
}

export function explain(error: unknown) {
  if (!isApiError(error)) return "Something went wrong. Please try again.";
  if (error.retryAfter && error.status === 429 && !/\d/.test(error.message)) {
    const wait = error.retryAfter < 90 ? `${error.retryAfter} seconds` : `${Math.ceil(error.retryAfter / 60)} minutes`;
    return `${error.message} You can try again in ${wait}.`;
  }
  return error.message;
}

/** In the server's words; when it does not know itself what went wrong, in these. */
export const explainOr = (error: unknown, words: string) => (isApiError(error) && error.code !== "internal" ? explain(error) : words);

export const text = (data: FormData, name: string) => String(data.get(name) ?? "");

/** `required({ email: "Please enter your email address." })` as a check. */
export const required = (sentences: Errors) => (data: FormData) =>
  Object.fromEntries(Object.entries(sentences).filter(([name]) => text(data, name).trim() === ""));
