import type { Site } from "./client";

type Boot = {
  site?: Site;
  /** The first picture of this page. */
  picture?: string | null;
};

/** The data that the server embedded in the page, so that the first paint needs no request. */
export function boot(): Boot {
  const text = document.getElementById("boot")?.textContent;
  if (!text) return {};
  try {
    return JSON.parse(text) as Boot;
  } catch {
    return {};
  }
}
