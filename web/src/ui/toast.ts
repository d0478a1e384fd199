type Message = {
  title: string;
  description?: string | undefined;
  /** Whether somebody wrote the description, so that it may have any direction. */
  written?: boolean | undefined;
  destructive?: boolean | undefined;
  /** Where pressing the toast leads. */
  href?: string | undefined;
};
type Toast = Message & { id: number; action: string | undefined };

const lifetime = 5_000;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();
let toasts: Toast[] = [];
let lastId = 0;

/** The form or action that is currently reporting its failure. */
let action: string | undefined;

/** Shows a message for five seconds. Can be called from anywhere. */
export function toast(message: Message) {
  const id = ++lastId;
  change([...toasts.slice(-2), { ...message, id, action }]);
  leaveLater(id);
}

/** Errors shown by `report` belong to this form or action. They disappear as soon as it is tried again. */
export function reportFailure<Result>(of: string, report: () => Result) {
  action = of;
  try {
    return report();
  } finally {
    action = undefined;
  }
}

/** Call when a form or action is tried again, because the errors of its last try no longer apply. */
export const dismissErrors = (of: string) => change(toasts.filter((t) => t.action !== of));

export const errorToast = (description: string) => toast({ title: "Error", description, destructive: true });

export function dismissToasts() {
  timers.forEach((timer) => clearTimeout(timer));
  change([]);
}

export function dismiss(id: number) {
  stay(id);
  change(toasts.filter((t) => t.id !== id));
}

export function stay(id: number) {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export function leaveLater(id: number) {
  stay(id);
  timers.set(
    id,
    setTimeout(() => dismiss(id), lifetime),
  );
}

function change(next: Toast[]) {
  toasts = next;
  listeners.forEach((listener) => listener());
}

export function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const shownToasts = () => toasts;
