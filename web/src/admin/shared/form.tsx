import { useEffect, useRef, useState, type ReactNode } from "react";
import { isApiError } from "../../api/client";
import { useForm, type FormOptions } from "../../lib/forms";
import { ConfirmDialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { useOpenForm } from "./leave-guard";
import { requiresSignIn } from "./session";
import { StaleNotice } from "./stale-notice";

const questions = {
  typed: { title: "Leave without saving?", action: "Discard", text: "It has not been saved." },
  changes: { title: "Discard your changes?", action: "Discard changes", text: "What you typed has not been saved." },
  import: { title: "Leave the import?", action: "Leave", text: "Nothing was imported." },
};

type Leave = {
  /** What would be lost. */
  name: ReactNode;
  about?: keyof typeof questions;
  onClose: () => void;
  /** Whether the form is part of the page, so that Back leaves the page instead of closing the form. */
  inPage?: boolean;
  /** Whether the form has its own history entry, which Back takes while nothing is typed. */
  ownEntry?: boolean;
  /** Whether nothing may close while a request is being sent. */
  waits?: boolean;
  /** Tries to save what was typed, so that no question is needed. A second attempt to close does not wait for it. */
  save?: () => Promise<unknown>;
};

/** Makes Cancel, Escape, the backdrop and Back all call `close`, which asks before it discards what was typed. */
export function useCloseQuestion(
  { name, about = "typed", onClose, inPage = false, ownEntry = false, waits = false, save }: Leave,
  dirty: () => boolean,
  busy = false,
) {
  const [asking, setAsking] = useState(false);
  const saving = useRef(false);
  const open = useIsMounted();
  async function close() {
    if (busy && waits) return;
    if (save && dirty() && !saving.current) {
      saving.current = true;
      await save();
      saving.current = false;
      if (!open.current) return;
    }
    if (dirty()) setAsking(true);
    else onClose();
  }
  useOpenForm(inPage ? { dirty } : { dirty, close, ownEntry });
  const { title, action, text } = questions[about];
  return {
    close,
    question: asking && (
      <ConfirmDialog title={title} name={name} action={action} onConfirm={onClose} onClose={() => setAsking(false)}>
        {text}
      </ConfirmDialog>
    ),
  };
}

function useIsMounted() {
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  return mounted;
}

type StaffFormOptions<Result> = FormOptions<Result> & {
  /** The values of controlled fields. Without them, the fields themselves tell whether something was typed. */
  values?: { dirty: boolean; becameStale: () => void };
  leave: Leave;
};

/**
 * The form of a dialog, drawer or table row in the staff area. It is {@link useForm}, but asks before it closes. It
 * leaves an ended session to the sign-in dialog, and a stale record to the notice above the fields.
 */
export function useStaffForm<Result>({ values, leave, failed, ...options }: StaffFormOptions<Result>) {
  const fields = useTypedFields();
  const refused = refusalOf(failed, values?.becameStale);
  const { form, ...state } = useForm({ ...options, failed: refused });
  const guard = useCloseQuestion(leave, () => (values ? values.dirty : fields.typed()), state.busy);
  return {
    ...state,
    ...guard,
    /** Whether the failure is already shown, for a request sent by a question above the form. */
    refused: (error: unknown) => refused(error) === true,
    form: { ...form, ref: fields.ref },
  };
}

/** A form in the page, which may be collapsed and keeps what was typed. Leaving the page asks first. */
export function usePageForm<Result>({ failed, ...options }: FormOptions<Result>) {
  const fields = useTypedFields();
  const { form, ...state } = useForm({ ...options, failed: refusalOf(failed) });
  useOpenForm({ dirty: fields.typed });
  return { ...state, form: { ...form, ref: fields.ref } };
}

const refusalOf =
  <Result,>(
    failed: FormOptions<Result>["failed"],
    becameStale?: () => void,
  ): NonNullable<FormOptions<Result>["failed"]> =>
  (error) => {
    if (requiresSignIn(error)) return true;
    if (becameStale && isApiError(error, "stale")) {
      becameStale();
      return true;
    }
    return failed?.(error);
  };

const fieldsIn = (form: HTMLElement | null) => [
  ...(form?.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>("input, select, textarea") ??
    []),
];
const valueOf = (field: { type: string; value: string; checked?: boolean }) =>
  field.type === "checkbox" ? (field.checked ? "on" : "") : field.value;

/** Tells whether a form's fields contain something that they did not contain when the form appeared. */
function useTypedFields() {
  const [state] = useState(() => ({
    form: null as HTMLFormElement | null,
    began: new Map<Element, string>(),
    touched: false,
  }));
  const [ref] = useState(() => (form: HTMLFormElement | null) => {
    if (!form) return;
    const touch = () => {
      state.touched = true;
    };
    Object.assign(state, {
      form,
      began: new Map(fieldsIn(form).map((field) => [field, valueOf(field)])),
      touched: false,
    });
    form.addEventListener("input", touch);
    return () => {
      form.removeEventListener("input", touch);
      state.form = null;
    };
  });
  return {
    ref,
    typed: () =>
      state.touched && fieldsIn(state.form).some((field) => valueOf(field) !== (state.began.get(field) ?? "")),
  };
}

type Stale = "no" | "yes" | "reloaded" | "gone";

type FormValuesOptions<Row, Values> = {
  /** The record that is edited. Null for a new one. */
  opened: Row;
  valuesOf: (row: Row) => Values;
  /** Values that the form starts with, as if they had been typed. */
  begun?: Partial<Values>;
  /** Reads the record again. Null if it was deleted. */
  read: (row: NonNullable<Row>) => Promise<NonNullable<Row> | null>;
  /** Needed where several fields belong together. */
  merge?: (mine: Values, base: Values, fresh: Values) => Values;
  /** Called if the record was deleted. The form stays open with what was typed. */
  onGone?: () => unknown;
};

/** The values of a form that edits a record. If somebody else saved first, they are merged with the new record. */
export function useFormValues<Row, Values extends object>({
  opened,
  valuesOf,
  begun,
  read,
  merge = threeWay,
  onGone,
}: FormValuesOptions<Row, Values>) {
  const [row, setRow] = useState(opened);
  const [values, setValues] = useState(() => ({ ...valuesOf(opened), ...begun }));
  const [stale, setStale] = useState<Stale>("no");
  const base = valuesOf(row);

  async function refresh() {
    if (!row) return false;
    const fresh = await read(row);
    if (!fresh) {
      setStale("gone");
      onGone?.();
      return false;
    }
    setValues((mine) => merge(mine, base, valuesOf(fresh)));
    setRow(fresh);
    return true;
  }
  const reload = async () => {
    if (await refresh()) setStale("reloaded");
  };

  return {
    row,
    values,
    base,
    set: (change: Partial<Values>) => setValues((now) => ({ ...now, ...change })),
    /** Call after the record was saved outside the form. */
    setRow,
    /** Call after a part of the record was saved on its own. The form has the part under the same name. */
    savedPart(part: Partial<NonNullable<Row>> & Partial<Values>) {
      setRow((now) => now && { ...now, ...part });
      setValues((now) => ({ ...now, ...part }));
    },
    dirty: !same(values, base),
    stale,
    becameStale: () => setStale("yes"),
    reload,
    /** Reads the record again without a notice, because nobody else changed it. */
    refresh,
  };
}

/** Keeps what the user typed, and takes everything else from the fresh record. */
export function threeWay<Values extends object>(mine: Values, base: Values, fresh: Values): Values {
  const keys = Object.keys(fresh) as (keyof Values)[];
  return Object.fromEntries(keys.map((key) => [key, mine[key] === base[key] ? fresh[key] : mine[key]])) as Values;
}

/** Only the changed fields, so that saving does not undo anybody else's change. */
export function changed<Values extends object>(values: Values, base: Values): Partial<Values> {
  const keys = Object.keys(values) as (keyof Values)[];
  return Object.fromEntries(
    keys.filter((key) => values[key] !== base[key]).map((key) => [key, values[key]]),
  ) as Partial<Values>;
}

const same = <Values extends object>(a: Values, b: Values) => Object.keys(changed(a, b)).length === 0;

type NoticeProps = { what: string; stale: Stale; onReload: () => Promise<unknown> };

/**
 * Says that somebody else saved first. After the reload it says that this is the newest version, or that the record was
 * deleted.
 */
export function StaleFormNotice({ what, stale, onReload }: NoticeProps) {
  if (stale === "no") return null;
  if (stale === "yes") return <StaleNotice what={what} onReload={onReload} />;
  if (stale === "gone") {
    return (
      <p role="alert" className="flex items-start gap-2 rounded-md bg-due-wash px-3.5 py-3 text-due">
        <Icon name="alert" className="mt-[0.15em]" />
        Someone just deleted this {what}, so it cannot be saved. What you typed is still here: copy what you need.
      </p>
    );
  }
  return (
    <p role="status" className="flex items-start gap-2 rounded-md bg-lake-wash px-3.5 py-3 text-lake">
      <Icon name="info" className="mt-[0.15em]" />
      This is the newest version, with your changes still in it. Please check it and save again.
    </p>
  );
}
