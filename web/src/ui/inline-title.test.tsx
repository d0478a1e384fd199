import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { InlineTitle } from "./inline-title";

const shown = (title: string) =>
  [...render(<InlineTitle>{title}</InlineTitle>).container.querySelectorAll("bdi")].map(
    ({ dir, textContent }) => `${dir} ${textContent}`,
  );

it("a title within a sentence has the direction of most of its letters", () => {
  expect(shown("WhatsApp בילדער פון דער לייק")).toEqual(["rtl WhatsApp בילדער פון דער לייק"]);
  expect(shown("א freilichen Purim to everybody")).toEqual(["ltr א freilichen Purim to everybody"]);
  expect(shown("Color War · קאלער וואר")).toEqual(["ltr Color War", "rtl קאלער וואר"]);
});
