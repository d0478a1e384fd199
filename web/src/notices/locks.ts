/** Holds a lock shared by all open pages until the returned function is called. */
export function holdLock(name: string, mode: LockMode, held: () => void = () => undefined): () => void {
  if (!navigator.locks) {
    // Old browsers have no locks. There, each page acts on its own, and the tag keeps notifications unique.
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

/** Whether any page holds the lock. */
export async function isLockHeld(name: string) {
  const known = await navigator.locks?.query();
  return known?.held?.some((lock) => lock.name === name) ?? false;
}
