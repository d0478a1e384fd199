export type Direction = "rtl" | "ltr" | "auto";

/** The direction of most letters, as in emails: a Yiddish title that begins with "WhatsApp" is still Yiddish. */
export function directionOf(text: string): Direction {
  const yiddish = text.split(/[א-ײ]/).length - text.split(/[a-z]/i).length;
  return yiddish > 0 ? "rtl" : yiddish < 0 ? "ltr" : "auto";
}
