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
 * The HTML of a page before its data. `main.tsx` renders the same in the browser; pages of the staff area take its place,
 * and those without one of their own, for printing and for signing in, have the bar only.
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

/** Without the links that React puts before it: the HTML of a page preloads what it needs. */
const html = (element: ReactNode) => renderToString(element).replace(/^(<link rel="preload"[^>]*>)+/, "");
