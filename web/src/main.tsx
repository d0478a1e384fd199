import { startTransition, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { fetchPage } from "./app/routes";
import "./styles.css";

// As a transition it is drawn in slices, between which a phone can scroll and tap.
const draw = () =>
  startTransition(() =>
    createRoot(document.getElementById("root")!).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );

// The server has named the page's script in the HTML, so it comes beside this one. Without it the page says so itself.
fetchPage(location.pathname).then(draw, draw);
