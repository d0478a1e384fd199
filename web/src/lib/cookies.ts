import { ApiError } from "../api/client";

/** Says in advance why signing in cannot work: without cookies, the next page would not know anybody. */
export function requireCookies() {
  if (navigator.cookieEnabled) return;
  throw new ApiError({
    code: "cookies",
    detail:
      "Your browser blocks cookies, and without them nobody stays signed in. Please allow them for this site, then try again.",
  });
}
