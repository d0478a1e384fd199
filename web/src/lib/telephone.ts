/** The URL that dials a phone number. An extension is dialed after a pause. Undefined for a text without a number. */
export function telephone(text: string): string | undefined {
  const [, number = "", extension] = /^(.*?)(?:(?:ext(?:ension)?\.?|x|#)\s*(\d+)\s*)?$/i.exec(text) ?? [];
  const digits = number.replace(/[^+\d]/g, "");
  return digits.length > 2 ? `tel:${digits}${extension ? `,${extension}` : ""}` : undefined;
}
