import { expect, it } from "vitest";
import { telephone } from "./telephone";

it.each([
  ["(845) 555-0142", "tel:8455550142"],
  ["+972 2 555 0142", "tel:+97225550142"],
  ["(845) 555-0142 ext. 12", "tel:8455550142,12"],
  ["845-555-0142 x7", "tel:8455550142,7"],
  ["845-555-0142 #301 ", "tel:8455550142,301"],
  ["845-555-0142 Extension 12", "tel:8455550142,12"],
  ["Office: 845-555-0142", "tel:8455550142"],
  ["call the office", undefined],
  ["", undefined],
])("dials %s as %s", (text, address) => {
  expect(telephone(text)).toBe(address);
});
