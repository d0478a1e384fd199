import { useEffect, useRef, useState, type RefObject } from "react";
import { usePathname } from "../../lib/navigation";
import { entriesSince, useEntryKey } from "../../lib/address";
import { popState } from "../../lib/pop-state";
import { ConfirmDialog } from "../../ui/dialog";

type OpenForm = {
  dirty: () => boolean;
  /** Closes a dialog or drawer above the page. With it, Back closes the form instead of leaving the page. */
  close?: () => void;
  /** Whether the form has its own history entry, which Back takes while nothing is typed. */
  ownEntry?: boolean;
  /** Whether only closing the tab loses what was typed, because other pages of the staff area keep it. */
  keptInside?: boolean;
};

/** The open forms. The topmost is last. */
const forms: RefObject<OpenForm>[] = [];
const losesByLeaving = () => forms.some(({ current }) => !current.keptInside && current.dirty());
const losesByClosing = () => forms.some(({ current }) => current.dirty());

/** Registers a form for as long as it is on the page, so that leaving asks while something is typed. */
export function useOpenForm(form: OpenForm) {
  const now = useRef(form);
  useEffect(() => {
    now.current = form;
  });
  useEffect(() => {
    forms.push(now);
    return () => void forms.splice(forms.indexOf(now), 1);
  }, []);
}

/**
 * Placed once around the staff area. Back, links and closing the tab ask before they discard what was typed. In a
 * browser without the Navigation API, Back and Forward do not ask.
 */
export function LeaveGuard() {
  const pathname = usePathname();
  const key = useEntryKey();
  const here = useRef({ key, pathname });
  const leaving = useRef(false);
  const [onward, setOnward] = useState<(() => void) | null>(null);

  useEffect(() => {
    here.current = { key, pathname };
  }, [key, pathname]);

  useEffect(() => {
    let afterReturn: (() => void) | null = null;
    const leave = (go: () => void) =>
      setOnward(() => () => {
        leaving.current = true;
        go();
      });

    /** What happens instead of a step through the history, if anything. */
    function instead(distance: number) {
      const top = forms.findLast(({ current }) => current.close)?.current;
      if (top) return top.ownEntry && !top.dirty() ? null : (top.close ?? null);
      return losesByLeaving() && location.pathname !== here.current.pathname
        ? () => leave(() => history.go(distance))
        : null;
    }

    // The browser has already moved when it dispatches the event, so the move is undone before the router sees it.
    function onPopState(event: PopStateEvent) {
      const then = afterReturn;
      afterReturn = null;
      if (then) {
        event.stopImmediatePropagation();
        return then();
      }
      const distance = entriesSince(here.current.key);
      if (leaving.current || !distance) return void (leaving.current = false);
      afterReturn = instead(distance);
      if (!afterReturn) return;
      event.stopImmediatePropagation();
      history.go(-distance);
    }

    function onClick(event: MouseEvent) {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (leaving.current) return void (leaving.current = false);
      if (
        !link?.href ||
        link.target ||
        link.download ||
        link.origin !== location.origin ||
        link.pathname === location.pathname
      )
        return;
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !losesByLeaving())
        return;
      event.preventDefault();
      event.stopPropagation();
      leave(() => link.click());
    }

    const onUnload = (event: BeforeUnloadEvent) => losesByClosing() && event.preventDefault();

    popState.before = onPopState;
    addEventListener("click", onClick, true);
    addEventListener("beforeunload", onUnload);
    return () => {
      popState.before = undefined;
      removeEventListener("click", onClick, true);
      removeEventListener("beforeunload", onUnload);
    };
  }, []);

  return (
    onward && (
      <ConfirmDialog
        title="Leave without saving?"
        name="What you typed here"
        action="Leave"
        onConfirm={onward}
        onClose={() => setOnward(null)}
      >
        It has not been saved.
      </ConfirmDialog>
    )
  );
}
