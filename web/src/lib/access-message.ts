/** Tells visitors how they get access to videos and updates; null leaves it to the server's message. */
export function accessMessage(code: string, access: string | undefined): string | null {
  if (code !== "sign_in_required") return null;
  return access === "families"
    ? "This is for camp families. Sign in with the email the camp has on file, or create an account with it. The camp confirms each family once."
    : "You need an account for this. Sign in, or create one in a minute.";
}
