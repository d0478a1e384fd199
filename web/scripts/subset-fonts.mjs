// Reduces the fonts to what the pages need. The heading font keeps one weight, Latin letters and punctuation. The text
// font keeps the weights from regular to bold, and all of its characters. Run it by hand (`npm run fonts`) after
// updating a font. The result is committed.
import { readFileSync, writeFileSync } from "node:fs";
import subsetFont from "subset-font";

const from = new URL("../node_modules/@fontsource-variable/", import.meta.url);
const to = new URL("../src/fonts/", import.meta.url);

const letters = (first, last) => String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

const headings = [
  ["latin", letters(0x20, 0x7e) + letters(0xa0, 0xff) + "ŒœŁł–—‘’“”…•·×−"],
  [
    "hebrew",
    letters(0x5b0, 0x5ea) +
      letters(0x5f0, 0x5f4) +
      letters(0xfb1d, 0xfb4f).normalize("NFC") +
      letters(0xfb2a, 0xfb4f) +
      " –—‘’“”…",
  ],
];

async function cut(face, name, text, wght, called) {
  const source = readFileSync(new URL(`${face}/files/${face}-${name}-wght-normal.woff2`, from));
  const font = await subsetFont(source, text, { targetFormat: "woff2", variationAxes: { wght } });
  writeFileSync(new URL(`${face}-${name}-${called}.woff2`, to), font);
  console.log(face, name, source.length, font.length);
}

for (const [name, text] of headings) await cut("frank-ruhl-libre", name, text, 600, "600");

const ranges = JSON.parse(readFileSync(new URL("heebo/unicode.json", from), "utf8"));
for (const name of ["latin", "hebrew"]) {
  const text = ranges[name].split(",").map((range) => {
    const [first, last = first] = range.replace("U+", "").split("-");
    return letters(Math.max(parseInt(first, 16), 0x20), parseInt(last, 16));
  });
  await cut("heebo", name, text.join(""), { min: 400, max: 700 }, "400-700");
}
