/** Tells visitors how they get access to videos and updates; null leaves it to the server's message. */
export function accessMessage(code: string, access: string | undefined): string | null {
  if (code !== "sign_in_required") return null;
  return access === "families"
    ? "This is for the families of the summer. Sign in with the email address that the camp has on file, or create an account with it. An account alone is not enough: the camp confirms each family once."
    : "This is for everyone with an account. Sign in, or create one: it takes a minute.";
}
