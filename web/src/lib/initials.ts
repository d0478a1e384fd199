/** The first letters of up to two words, or else "U". */
export function initials(name: string) {
  const words = name.trim().split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => [...word][0]?.toLocaleUpperCase("en-US")).join("") || "U";
}
