import { lazy, Suspense, useEffect, useRef, useSyncExternalStore, type ReactNode, type RefObject } from "react";
import { useSession, useSite } from "../api/queries";
import { useRestored, usePathname } from "../lib/navigation";
import { useIsShell } from "../lib/shell";
import { Icon } from "../ui/icon";
import { Loading, Skeleton } from "../ui/states";
import { ErrorBoundary } from "./error-boundary";

import { Header } from "./header";
import { Footer } from "./later";
import { useServerEvents } from "./use-server-events";

const VerifyBanner = lazy(() => import("./verify-banner"));
const QuietTime = lazy(() => import("./quiet-time"));

export function PublicLayout({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const pathname = usePathname();
  const { user } = useSession();
  const site = useSite();
  const isShell = useIsShell();
  useNewPage(main);
  useServerEvents();

  return (
    <>
      <a href="#main" className="fixed start-4 -top-16 z-50 rounded-sm bg-pine px-4 py-2.5 text-on-pine focus:top-4">
        Skip to content
      </a>
      <ErrorBoundary small>
        <Header />
      </ErrorBoundary>
      <OfflineBar />
      {!isShell && (
        <ErrorBoundary small>
          <Suspense>
            {user && !user.email_verified && site?.require_email_verification && <VerifyBanner user={user} />}
            {site?.quiet_time && <QuietTime quiet={site.quiet_time} main={main} />}
          </Suspense>
        </ErrorBoundary>
      )}
      {/* Keeps the footer below the fold, so that nothing visible shifts while a page fills. */}
      <main ref={main} id="main" tabIndex={-1} className="min-h-[calc(100dvh-4rem)] flex-1">
        {isShell ? (
          children
        ) : (
          <ErrorBoundary key={pathname}>
            <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
          </ErrorBoundary>
        )}
      </main>
      {!isShell && (
        <ErrorBoundary small>
          <Suspense>
            <Footer />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}

/** A link opens the new page at its top, for keyboard users too. Back restores the scroll position. */
export function useNewPage(main: RefObject<HTMLElement | null>) {
  const pathname = usePathname();
  const restored = useRestored();
  const shown = useRef<string>(undefined);
  useEffect(() => {
    // A search or filter also changes the URL, but the page and the focus stay.
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (restored) return;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname, restored, main]);
}

export function OfflineBar() {
  const online = useSyncExternalStore(
    listenToNetwork,
    () => navigator.onLine,
    () => true,
  );
  if (online) return null;
  return (
    <div role="status" className="bg-lake-wash text-lake">
      <p className="wrap flex items-center gap-2 py-2 text-sm">
        <Icon name="info" />
        You are offline. This page may be out of date.
      </p>
    </div>
  );
}

function listenToNetwork(listener: () => void) {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

const PageSkeleton = () => (
  <Loading label="Loading page" className="wrap grid min-h-dvh content-start gap-5 pt-8">
    <Skeleton className="h-10 w-64 max-w-full" />
    <Skeleton className="h-64 w-full" />
  </Loading>
);
