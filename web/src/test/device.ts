import { vi } from "vitest";

type Lock = { name: string; mode: LockMode };
type Shown = { title: string; tag: string; body: string; data: { path: string }; close: () => void };

/** A fake browser that can show notifications, as far as a page can tell. */
export function device(answer: NotificationPermission = "granted") {
  const shown: Shown[] = [];
  const workers = { registered: 0, left: 0 };
  const held: Lock[] = [];
  const waiting: (() => void)[] = [];
  const Notification: { permission: NotificationPermission; requestPermission: () => Promise<NotificationPermission> } =
    {
      permission: "default",
      requestPermission: vi.fn<() => Promise<NotificationPermission>>(async () => (Notification.permission = answer)),
    };

  const registration = {
    showNotification: async (title: string, options: Omit<Shown, "title" | "close">) => {
      const one: Shown = { title, ...options, close: () => shown.splice(shown.indexOf(one), 1) };
      shown.push(one);
    },
    getNotifications: async ({ tag }: { tag?: string } = {}) => shown.filter((one) => !tag || one.tag === tag),
    unregister: async () => {
      workers.left++;
      present = false;
    },
  };
  let present = false;

  vi.stubGlobal("Notification", Notification);
  vi.stubGlobal("isSecureContext", true);
  const stubs = {
    serviceWorker: {
      ready: Promise.resolve(registration),
      register: async () => {
        workers.registered++;
        present = true;
        return registration;
      },
      getRegistration: async () => (present ? registration : undefined),
    },
    locks: {
      query: async () => ({ held: [...held], pending: [] }),
      request: async (
        name: string,
        { mode, signal }: { mode: LockMode; signal: AbortSignal },
        run: () => Promise<void>,
      ) => {
        const taken = () => mode === "exclusive" && held.some((lock) => lock.name === name);
        while (taken()) await new Promise<void>((go) => waiting.push(go));
        if (signal.aborted) return;
        const lock = { name, mode };
        held.push(lock);
        await run();
        held.splice(held.indexOf(lock), 1);
        waiting.splice(0).forEach((go) => go());
      },
    },
  };
  for (const [name, value] of Object.entries(stubs))
    Object.defineProperty(navigator, name, { configurable: true, value });

  return {
    shown,
    workers,
    held,
    Notification,
    asElsewhere: (name: string) => held.push({ name, mode: "shared" }),
    forget: () => Object.keys(stubs).forEach((name) => Reflect.deleteProperty(navigator, name)),
  };
}

export function hide(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
}
