/** The mail in these colors, whatever those of the browser are. */
export const inScheme = (html: string, scheme: "light" | "dark") =>
  html
    .replaceAll("(prefers-color-scheme: dark)", scheme === "dark" ? "all" : "not all")
    .replaceAll("color-scheme: light dark", `color-scheme: ${scheme}`);

/** The mail with links that lead nowhere: a page in the frame would take the place of the mail. */
export const withoutLinks = (html: string) => html.replaceAll(/(<a\b[^>]*?)\s+href="[^"]*"/g, "$1");
