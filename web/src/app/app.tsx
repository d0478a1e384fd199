import { Suspense, useState } from "react";
import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter, useNavigate } from "react-router";
import { makeQueryClient } from "../api/queries";
import "../lib/pop-state";
import { Toaster } from "../ui/toast";
import { ErrorBoundary } from "./error-boundary";
import { Sitemap } from "./routes";

export function App() {
  const [queryClient] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <BrowserRouter>
        <ErrorBoundary>
          <Suspense>
            <Sitemap />
          </Suspense>
        </ErrorBoundary>
        <Toasts />
      </BrowserRouter>
    </QueryClientProvider>
  );
}

export function Toasts() {
  const navigate = useNavigate();
  return <Toaster onFollow={(href) => void navigate(href)} />;
}
