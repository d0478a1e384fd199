/** The address that dials a phone number: after its extension's pause, the extension. Nothing for text without a number. */
export function telephone(text: string): string | undefined {
  const [, number = "", extension] = /^(.*?)(?:(?:ext(?:ension)?\.?|x|#)\s*(\d+)\s*)?$/i.exec(text) ?? [];
  const digits = number.replace(/[^+\d]/g, "");
  return digits.length > 2 ? `tel:${digits}${extension ? `,${extension}` : ""}` : undefined;
}
