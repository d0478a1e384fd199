import { Suspense, useState } from "react";
import { QueryClientProvider } from "@tanstack/react-query";
import { makeQueryClient } from "../api/queries";
import "../lib/pop-state";
import { navigate, Navigation } from "../lib/navigation";
import { ErrorBoundary } from "./error-boundary";
import { Toaster } from "./later";
import { Sitemap } from "./routes";

export function App() {
  const [queryClient] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <Navigation>
        <ErrorBoundary>
          <Suspense>
            <Sitemap />
          </Suspense>
        </ErrorBoundary>
        <ErrorBoundary small>
          <Suspense>
            <Toaster onFollow={navigate} />
          </Suspense>
        </ErrorBoundary>
      </Navigation>
    </QueryClientProvider>
  );
}
