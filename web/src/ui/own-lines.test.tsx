import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { directionOf } from "./direction";
import { OwnLines } from "./own-lines";

it.each([
  ["iPhone טעג: וואס מאכן מיר אן א טעלעפאן?", "rtl"],
  ["שבת Shalom from everybody in camp", "ltr"],
  ["The gates open at ten.", "ltr"],
  ["הײַנט און מאָרגן", "rtl"],
  ["טאג 5: שווימען מיט bunk 12 און 3 counselors (Part 2)", "rtl"],
  ["מארגן: trip צו Howe Caverns.", "rtl"],
  ["Trip to Howe Caverns מארגן אינדערפרי", "ltr"],
  ["12:30 – 14:00", "auto"],
])("takes the direction from most letters, and a first one in Yiddish weighs more: %s", (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});

it("gives each line of a text its own direction, and keeps all lines", () => {
  const text =
    "Dear parents,\nthe bus comes at ten.\n\nWhatsApp: טייערע עלטערן, (א וויכטיגע מעלדונג)!\nרופט office@camp.example.\n10:30\nThank you!";
  const { container } = render(<OwnLines text={text} />);
  const shown = [...container.querySelectorAll("span")].map(({ dir, textContent }) => [dir, textContent]);
  expect(shown).toEqual([
    ["ltr", "Dear parents,\nthe bus comes at ten.\n\n"],
    ["rtl", "WhatsApp: טייערע עלטערן, (א וויכטיגע מעלדונג)!\nרופט office@camp.example.\n10:30"],
    ["ltr", "Thank you!"],
  ]);
});
