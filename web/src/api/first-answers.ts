/**
 * The response that the server wrote into the HTML for a request, so that the page does not have to fetch it. It is as
 * old as the page and is used once. Spread it into the query for exactly this URL.
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

/** Whether Back may have restored an old page from the browser's cache. */
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
