/** The mail in these colors, whatever those of the browser are. */
export const inScheme = (html: string, scheme: "light" | "dark") =>
  html
    .replaceAll("(prefers-color-scheme: dark)", scheme === "dark" ? "all" : "not all")
    .replaceAll("color-scheme: light dark", `color-scheme: ${scheme}`);
