import { startTransition, StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { makeQueryClient } from "./api/queries";
import { App } from "./app/app";
import { prefetchLinks } from "./app/prefetch";
import { fetchPage, isStaffArea } from "./app/routes";
import "./styles.css";

const root = document.getElementById("root")!;
const hasShell = root.firstElementChild !== null && !isStaffArea(location.pathname);

const queryClient = makeQueryClient();

const app = (shell: boolean) => (
  <StrictMode>
    <App queryClient={queryClient} shell={shell} />
  </StrictMode>
);

// As a transition, the page renders in slices. Between them a phone can scroll and tap.
const draw = (shell: boolean) =>
  startTransition(() => {
    if (shell) hydrateRoot(root, app(true));
    else createRoot(root).render(app(false));
  });

/** Loads the style sheet for all pages, which comes with the scripts. A page without it is better than none. */
function style() {
  const sheet = document.querySelector<HTMLLinkElement>("link[rel=stylesheet][href^='/assets/']");
  if (!sheet || sheet.sheet) return undefined;
  return new Promise((resolve) => {
    sheet.addEventListener("load", resolve);
    sheet.addEventListener("error", resolve);
    setTimeout(resolve, 5_000);
  });
}

// The server names the page's script in the HTML, so both load at the same time. If the script fails, the page itself
// says so.
const page = fetchPage(location.pathname, queryClient);
Promise.allSettled([page, style()]).then(([{ status }]) => draw(hasShell && status === "fulfilled"));
prefetchLinks();
