import { StrictMode, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { QueryClientProvider } from "@tanstack/react-query";
import { makeQueryClient } from "../api/queries";
import { Navigation } from "../lib/navigation";
import { ShellContext } from "../lib/shell";
import { App } from "./app";
import { HeaderBar } from "./header";
import { Logo } from "./logo";
import { fetchPage, isStaffArea, pages } from "./routes";

export { pages };

/**
 * The HTML of a page before its data arrives. `main.tsx` renders the same thing in the browser, except that pages of
 * the staff area replace it. Staff pages without a shell, for printing and signing in, have only the header bar.
 */
export async function shellOf(pathname: string) {
  await fetchPage(pathname);
  if (isStaffArea(pathname)) {
    const shell = (await import("./admin")).shellOf(pathname) ?? <HeaderBar />;
    return html(
      <ShellContext value>
        <Alone part={shell} />
      </ShellContext>,
    );
  }
  return html(
    <StrictMode>
      <App queryClient={makeQueryClient()} shell />
    </StrictMode>,
  );
}

export const logo = () => html(<Alone part={<Logo />} />);

const Alone = ({ part }: { part: ReactNode }) => (
  <QueryClientProvider client={makeQueryClient()}>
    <Navigation>{part}</Navigation>
  </QueryClientProvider>
);

/** Removes the links that React puts in front, because the page's HTML already preloads what it needs. */
const html = (element: ReactNode) => renderToString(element).replace(/^(<link rel="preload"[^>]*>)+/, "");
