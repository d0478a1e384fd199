/**
 * The answer that the server wrote into the HTML for a request, so that nothing is fetched beside the scripts. It is
 * as old as the page and is used once. Spread it into the query of exactly this address.
 */
export function firstAnswer<Answer, Data = Answer>(address: string, shape?: (answer: Answer) => Data) {
  const initialData = () => {
    const element = document.querySelector(`script[data-answer=${JSON.stringify(address)}]`);
    element?.remove();
    const answer = element && !isOld() ? parse<Answer>(element.textContent) : undefined;
    return answer && (shape ? shape(answer) : (answer as unknown as Data));
  };
  return { initialData, initialDataUpdatedAt: performance.timeOrigin };
}

/** Back may take the page from the browser's cache as it was. */
const isOld = () =>
  performance
    .getEntriesByType("navigation")
    .some((entry) => (entry as PerformanceNavigationTiming).type === "back_forward");

function parse<Answer>(text: string) {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
