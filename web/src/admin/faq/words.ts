type Placeholder = { name: string; value: string };

/** An answer as families read it, as the server fills it: what has nothing to say leaves no gap. */
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

/** The list with one entry moved to another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, items[from]!);
}
