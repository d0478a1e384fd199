import { Suspense, useState } from "react";
import { QueryClientProvider } from "@tanstack/react-query";
import { makeQueryClient } from "../api/queries";
import "../lib/pop-state";
import { navigate, Navigation } from "../lib/navigation";
import { Toaster } from "../ui/toast";
import { ErrorBoundary } from "./error-boundary";
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
        <Toasts />
      </Navigation>
    </QueryClientProvider>
  );
}

export function Toasts() {
  return <Toaster onFollow={navigate} />;
}
