import type { Site } from "../api/client";

/** Tells visitors how to get access to videos and updates. Null leaves it to the server's message. */
export function accessMessage(code: string, site: Site | undefined): string | null {
  if (code !== "sign_in_required") return null;
  if (site?.registrations_open === false)
    return site.access === "families"
      ? "This is for camp families. Sign in with the email the camp has on file."
      : "You need an account for this. Please sign in; new accounts cannot be created right now.";
  return site?.access === "families"
    ? "This is for camp families. Sign in with the email the camp has on file, or create an account with it. The camp confirms each family once."
    : "You need an account for this. Sign in, or create one in a minute.";
}
