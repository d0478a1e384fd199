type Placeholder = { name: string; value: string };

/** Fills in the placeholders of an answer as the server does. An empty value leaves no gap. */
export function filled(answer: string, placeholders: readonly Placeholder[]) {
  const names = placeholders.map(({ name }) => name.replace(/[{}]/g, "\\$&")).join("|");
  if (!names) return answer.trim();
  return answer
    .replace(new RegExp(`(${names})( *)`, "g"), (_, name: string, gap: string) => {
      const value = placeholders.find((one) => one.name === name)?.value ?? "";
      return value && value + gap;
    })
    .trim();
}
