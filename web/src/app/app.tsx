import { startTransition, Suspense, useEffect, useState } from "react";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import "../lib/pop-state";
import { navigate, Navigation } from "../lib/navigation";
import { ShellContext } from "../lib/shell";
import { ErrorBoundary } from "./error-boundary";
import { Toaster } from "./later";
import { Sitemap } from "./routes";

declare global {
  interface Window {
    /** Set by start.js. Repeats a button press from before the scripts loaded. */
    started?: () => void;
  }
}

/** With `shell`, the first render matches what the HTML already shows, and the page follows. */
export function App({ queryClient, shell = false }: { queryClient: QueryClient; shell?: boolean }) {
  const [isShell, setIsShell] = useState(shell);
  useEffect(() => {
    if (isShell) startTransition(() => setIsShell(false));
    else window.started?.();
  }, [isShell]);
  return (
    <QueryClientProvider client={queryClient}>
      <Navigation>
        <ErrorBoundary>
          <ShellContext value={isShell}>
            <Sitemap />
          </ShellContext>
        </ErrorBoundary>
        {!isShell && (
          <ErrorBoundary small>
            <Suspense>
              <Toaster onFollow={navigate} />
            </Suspense>
          </ErrorBoundary>
        )}
      </Navigation>
    </QueryClientProvider>
  );
}
