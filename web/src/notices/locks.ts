/** Holds a lock between all open pages until told to let go. */
export function holdLock(name: string, mode: LockMode, held: () => void = () => undefined): () => void {
  if (!navigator.locks) {
    // An old browser: each page counts for itself, and the tag of a notification keeps it one.
    queueMicrotask(held);
    return () => undefined;
  }
  const left = new AbortController();
  const gone = new Promise<void>((done) => left.signal.addEventListener("abort", () => done()));
  void navigator.locks
    .request(name, { mode, signal: left.signal }, () => {
      held();
      return gone;
    })
    .catch(() => undefined);
  return () => left.abort();
}

/** Whether any page holds it. */
export async function isLockHeld(name: string) {
  const known = await navigator.locks?.query();
  return known?.held?.some((lock) => lock.name === name) ?? false;
}
