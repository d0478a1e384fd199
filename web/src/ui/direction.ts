export type Direction = "rtl" | "ltr" | "auto";

/**
 * The direction of most letters, as in emails: a Yiddish title that begins with "WhatsApp" is still Yiddish. In a title
 * that begins in Yiddish, each Yiddish letter counts three times.
 */
export function directionOf(text: string): Direction {
  const count = (letters: RegExp) => text.split(letters).length - 1;
  const weight = /^[^a-zא-ײ]*[א-ײ]/i.test(text) ? 3 : 1;
  const yiddish = weight * count(/[א-ײ]/) - count(/[a-z]/i);
  return yiddish > 0 ? "rtl" : yiddish < 0 ? "ltr" : "auto";
}
