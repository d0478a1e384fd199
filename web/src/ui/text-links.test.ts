import { describe, expect, it } from "vitest";
import { textParts } from "./text-links";

const links = (text: string) =>
  textParts(text)
    .filter(({ url }) => url !== undefined)
    .map((part) => part.text);

describe("the addresses in a text", () => {
  it("are found without the punctuation around them", () => {
    for (const [text, found] of [
      ["Sign up at https://camp.example/visit.", ["https://camp.example/visit"]],
      ["HTTP://Camp.example!", ["HTTP://Camp.example"]],
      ["(see https://camp.example/a_(b))", ["https://camp.example/a_(b)"]],
      ["https://a.example, https://b.example/?q=1&r=2", ["https://a.example", "https://b.example/?q=1&r=2"]],
      ["„https://camp.example“ and <https://other.example>", ["https://camp.example", "https://other.example"]],
      ["פרטים באתר https://camp.example/א׳.", ["https://camp.example/א"]],
      ["one\nhttps://camp.example\ntwo", ["https://camp.example"]],
    ] as const)
      expect(links(text)).toEqual(found);
  });

  it("are not made of anything else", () => {
    for (const text of [
      "",
      "www.camp.example",
      "javascript:alert(1)",
      "data:text/html,https",
      "xhttps://camp.example",
      "https://",
      "https://camp",
      "https://camp.example@evil.example/",
      "ftp://camp.example",
      "mailto:office@camp.example",
    ])
      expect(links(text)).toEqual([]);
  });

  it("leave nothing of the text out", () => {
    for (const text of ["", "a https://b.example c", "https://b.example", "https://https://b.example/x ä"])
      expect(
        textParts(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
    expect(textParts("https://Bücher.example/<b>")).toEqual([
      { text: "https://Bücher.example/", url: "https://xn--bcher-kva.example/" },
      { text: "<b>" },
    ]);
  });
});
