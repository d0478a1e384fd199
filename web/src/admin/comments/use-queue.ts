import { useState } from "react";
import type { AdminComment } from "./queries";
import { useShortcuts } from "./shortcuts";
import { useModeration, type Step } from "./use-moderation";
import { usePlace } from "./use-place";
import { acceptance, opposite } from "./words";

/** The current row of the queue, the decisions with their keys, and the last decision. */
export function useQueue(comments: AdminComment[]) {
  const { current, entered, goTo, step, stay, resume, rowRef } = usePlace(comments);
  const [last, setLast] = useState<Step | null>(null);
  const [deleting, setDeleting] = useState<AdminComment | null>(null);
  const moderation = useModeration((taken) => setLast(taken.action === "reopen" ? null : taken));

  function act(...[comment, action]: Parameters<typeof moderation.act>) {
    goTo(comment);
    stay();
    moderation.act(comment, action);
  }
  function undo() {
    const newest = moderation.newest ?? last;
    const undoing = newest && opposite(newest.action, newest.comment);
    if (undoing) act(newest.comment, undoing);
  }
  // A letter key decides only while the focus shows which comment it is about. After the last row nothing has the
  // focus.
  const onCurrent = (decide: (comment: AdminComment) => void) => () => {
    if (current && entered()) decide(current);
  };
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    u: () => {
      if (!current || entered()) undo();
    },
    a: onCurrent((comment) => {
      const accepted = acceptance(comment);
      if (accepted) act(comment, accepted);
    }),
    h: onCurrent((comment) => act(comment, comment.hidden ? "show" : "hide")),
    d: onCurrent(setDeleting),
    o: onCurrent(() => document.activeElement?.closest("li")?.querySelector("a")?.click()),
  });
  return {
    current,
    goTo,
    rowRef,
    busyWith: moderation.busyWith,
    act,
    last,
    undo,
    forget: () => setLast(null),
    deleting,
    remove: setDeleting,
    closeDelete: () => {
      setDeleting(null);
      resume();
    },
  };
}
