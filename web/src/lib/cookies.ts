import { ApiError } from "../api/client";

/** Says why signing in cannot work, before it seems to: without cookies the next page knows nobody. */
export function requireCookies() {
  if (navigator.cookieEnabled) return;
  throw new ApiError({
    code: "cookies",
    detail:
      "Your browser blocks cookies, and without them nobody stays signed in. Please allow them for this site, then try again.",
  });
}
