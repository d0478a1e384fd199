import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { useLocation } from "react-router";
import { steps } from "../../lib/steps";
import { ConfirmDialog, Dialog } from "../../ui/dialog";

type Form = {
  dirty: () => boolean;
  /** Of what lies above the page: Back closes it instead of leaving. */
  close?: () => void;
  /** It has a step of its own in the history, which Back takes while nothing is typed. */
  ownStep?: boolean;
};

/** What is open and typed into, the topmost last. */
const forms: RefObject<Form>[] = [];
const anyDirty = () => forms.some(({ current }) => current.dirty());

function useForms(form: Form) {
  const now = useRef(form);
  useEffect(() => {
    now.current = form;
  });
  useEffect(() => {
    forms.push(now);
    return () => void forms.splice(forms.indexOf(now), 1);
  }, []);
}

/** A form of the page itself: leaving the page asks while something is typed. */
export const useUnsaved = (dirty: () => boolean) => useForms({ dirty });

const words = {
  typed: { title: "Discard what you typed?", action: "Discard", text: "It has not been saved." },
  changes: { title: "Discard your changes?", action: "Discard changes", text: "What you typed has not been saved." },
  import: { title: "Leave the import?", action: "Leave", text: "Nothing of it has been imported." },
};

type Asking = { dirty: boolean | (() => boolean); name: ReactNode; about?: keyof typeof words; onClose: () => void; busy?: boolean; above?: boolean; ownStep?: boolean };

/** Cancel, Escape, the backdrop and Back: each ends in `close`, which asks before what was typed is lost. */
export function useAsking({ dirty, name, about = "typed", onClose, busy = false, above = true, ownStep = false }: Asking) {
  const [asking, setAsking] = useState(false);
  const isDirty = () => (typeof dirty === "function" ? dirty() : dirty);
  // What is on its way cannot be called back.
  const close = () => !busy && (isDirty() ? setAsking(true) : onClose());
  useForms({ dirty: isDirty, ...(above ? { close, ownStep } : {}) });
  const { title, action, text } = words[about];
  return {
    close,
    question: asking && (
      <ConfirmDialog title={title} name={name} action={action} onConfirm={onClose} onClose={() => setAsking(false)}>{text}</ConfirmDialog>
    ),
  };
}

const fieldsIn = (box: HTMLElement | null) => [...(box?.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>("input, select, textarea") ?? [])];
const valueOf = (field: { type: string; value: string; checked?: boolean }) => (field.type === "checkbox" ? (field.checked ? "on" : "") : field.value);

/** Whether something stands in the fields of a box that did not when they appeared. */
export function useTyped<Box extends HTMLElement>() {
  const box = useRef<Box>(null);
  const began = useRef(new Map<Element, string>());
  const touched = useRef(false);
  useEffect(() => {
    const inside = box.current;
    const touch = () => {
      touched.current = true;
    };
    began.current = new Map(fieldsIn(inside).map((field) => [field, valueOf(field)]));
    inside?.addEventListener("input", touch);
    return () => inside?.removeEventListener("input", touch);
  }, []);
  return { box, typed: () => touched.current && fieldsIn(box.current).some((field) => valueOf(field) !== (began.current.get(field) ?? "")) };
}

type DialogProps = { title: ReactNode; name: ReactNode; onClose: () => void; className?: string; children: (close: () => void) => ReactNode };

/** A dialog that somebody types into. */
export function FormDialog({ title, name, onClose, className, children }: DialogProps) {
  const { box, typed } = useTyped<HTMLDivElement>();
  const { close, question } = useAsking({ dirty: typed, name, onClose });
  return (
    <Dialog title={title} onClose={close} {...(className ? { className } : {})}>
      <div ref={box}>{children(close)}</div>
      {question}
    </Dialog>
  );
}

/** Which step of the tab's history this is, as the router numbers them. */
const step = () => (history.state as { idx?: number } | null)?.idx ?? NaN;

/** Once around the staff area: neither Back nor a link nor closing the tab takes away what was typed, unasked. */
export function UnsavedGuard() {
  const place = useLocation();
  const here = useRef({ step: NaN, pathname: "" });
  const passing = useRef(false);
  const [onward, setOnward] = useState<(() => void) | null>(null);

  useEffect(() => {
    here.current = { step: step(), pathname: place.pathname };
  }, [place]);

  useEffect(() => {
    let onceBack: (() => void) | null = null;
    const leave = (go: () => void) =>
      setOnward(() => () => {
        passing.current = true;
        go();
      });

    /** What happens instead of the step, if anything. */
    function instead(far: number) {
      const top = forms.findLast(({ current }) => current.close)?.current;
      if (top) return top.ownStep && !top.dirty() ? null : (top.close ?? null);
      return anyDirty() && location.pathname !== here.current.pathname ? () => leave(() => history.go(far)) : null;
    }

    // The step has been taken when the browser tells of it: it is taken back before the router learns of it.
    function onStep(event: PopStateEvent) {
      const then = onceBack;
      onceBack = null;
      if (then) {
        event.stopImmediatePropagation();
        return then();
      }
      const far = step() - here.current.step;
      if (passing.current || !far) return void (passing.current = false);
      onceBack = instead(far);
      if (!onceBack) return;
      event.stopImmediatePropagation();
      history.go(-far);
    }

    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (passing.current) return void (passing.current = false);
      if (!link?.href || link.target || link.download || link.origin !== location.origin || link.pathname === location.pathname) return;
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !anyDirty()) return;
      event.preventDefault();
      event.stopPropagation();
      leave(() => link.click());
    }

    const onUnload = (event: BeforeUnloadEvent) => anyDirty() && event.preventDefault();

    steps.before = onStep;
    addEventListener("click", onClick, true);
    addEventListener("beforeunload", onUnload);
    return () => {
      steps.before = undefined;
      removeEventListener("click", onClick, true);
      removeEventListener("beforeunload", onUnload);
    };
  }, []);

  return onward && (
    <ConfirmDialog title="Leave this page?" name="What you typed here" action="Leave" onConfirm={onward} onClose={() => setOnward(null)}>
      It has not been saved.
    </ConfirmDialog>
  );
}
