type Placeholder = { name: string; value: string };

const wordsInBraces = (text: string) => text.match(/\{[\p{Alphabetic}_]+\}/gu) ?? [];

/** Why families would read a placeholder in this answer as it is, in the server's words. */
export function leftInAnswer(answer: string, placeholders: readonly Placeholder[]) {
  const names = placeholders.map(({ name }) => name);
  const left = wordsInBraces(answer).find((word) => !names.includes(word));
  if (!left || names.length === 0) return null;
  return `“${left}” is not a placeholder of the portal. Please use one of: ${names.join(", ")}.`;
}

/** The same for a question, in which none is replaced. */
export function leftInQuestion(question: string) {
  const [left] = wordsInBraces(question);
  return left ? `“${left}” is replaced in answers only. Please write the question without it.` : null;
}

/** Fills the placeholders of an answer like the server; an empty value leaves no gap. */
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
