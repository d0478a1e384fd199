/** Returns the email in these colors, whatever the browser's colors are. */
export const inScheme = (html: string, scheme: "light" | "dark") =>
  html
    .replaceAll("(prefers-color-scheme: dark)", scheme === "dark" ? "all" : "not all")
    .replaceAll("color-scheme: light dark", `color-scheme: ${scheme}`);

/** Returns the email with links that lead nowhere, because a page in the frame would replace the email. */
export const withoutLinks = (html: string) => html.replaceAll(/(<a\b[^>]*?)\s+href="[^"]*"/g, "$1");
