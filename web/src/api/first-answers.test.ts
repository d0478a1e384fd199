import { afterEach, expect, it, vi } from "vitest";
import { firstAnswer } from "./first-answers";

const address = "/api/videos?limit=4";

function embedded(text: string) {
  const element = document.createElement("script");
  element.type = "application/json";
  element.dataset.answer = address;
  element.textContent = text;
  document.body.append(element);
}

afterEach(() => document.querySelectorAll("[data-answer]").forEach((element) => element.remove()));

it("an answer in the page is used once, by the query of its address", () => {
  embedded('{"items":[1]}');
  expect(firstAnswer("/api/videos?collection=home").initialData()).toBeUndefined();
  const { initialData, initialDataUpdatedAt } = firstAnswer(address, ({ items }: { items: number[] }) => items);
  expect(initialData()).toEqual([1]);
  expect(initialData()).toBeUndefined();
  expect(initialDataUpdatedAt).toBeLessThanOrEqual(Date.now());
});

it("an answer that is no JSON, or of a page that Back took from the browser's cache, is not used", () => {
  embedded("<html>");
  expect(firstAnswer(address).initialData()).toBeUndefined();
  embedded('{"items":[]}');
  vi.spyOn(performance, "getEntriesByType").mockReturnValue([{ type: "back_forward" } as PerformanceNavigationTiming]);
  expect(firstAnswer(address).initialData()).toBeUndefined();
});
