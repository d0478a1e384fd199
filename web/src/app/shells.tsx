import { StrictMode, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { QueryClientProvider } from "@tanstack/react-query";
import { makeQueryClient } from "../api/queries";
import { App } from "./app";
import { HeaderBar } from "./header";
import { Logo } from "./logo";
import { fetchPage, isStaffArea, pages } from "./routes";

export { pages };

/** The HTML of a page before its data. `main.tsx` renders the same in the browser. */
export async function shellOf(pathname: string) {
  // Of the staff area only the bar: its pages render everything themselves.
  if (isStaffArea(pathname)) return html(<Alone part={<HeaderBar />} />);
  await fetchPage(pathname);
  return html(
    <StrictMode>
      <App queryClient={makeQueryClient()} shell />
    </StrictMode>,
  );
}

export const logo = () => html(<Alone part={<Logo />} />);

const Alone = ({ part }: { part: ReactNode }) => (
  <QueryClientProvider client={makeQueryClient()}>{part}</QueryClientProvider>
);

/** Without the links that React puts before it: the HTML of a page preloads what it needs. */
const html = (element: ReactNode) => renderToString(element).replace(/^(<link rel="preload"[^>]*>)+/, "");
