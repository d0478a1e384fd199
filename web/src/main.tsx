import { startTransition, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { prefetchLinks } from "./app/prefetch";
import { fetchPage } from "./app/routes";
import "./styles.css";

// As a transition it renders in slices, between which a phone can scroll and tap.
const draw = () =>
  startTransition(() =>
    createRoot(document.getElementById("root")!).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );

// The server names the page's script in the HTML, so both load at the same time. If it fails, the page itself says so.
fetchPage(location.pathname).then(draw, draw);
prefetchLinks();
