// Cuts the headings face to what an English page needs: one weight axis stop, Latin letters and punctuation.
// Run it by hand (`npm run fonts`) after updating the font; the result is committed.
import { readFileSync, writeFileSync } from "node:fs";
import subsetFont from "subset-font";

const from = new URL("../node_modules/@fontsource-variable/frank-ruhl-libre/files/", import.meta.url);
const to = new URL("../src/fonts/", import.meta.url);

const letters = (first, last) => String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i));

const faces = [
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

for (const [name, text] of faces) {
  const font = await subsetFont(readFileSync(new URL(`frank-ruhl-libre-${name}-wght-normal.woff2`, from)), text, {
    targetFormat: "woff2",
    variationAxes: { wght: 600 },
  });
  writeFileSync(new URL(`frank-ruhl-libre-${name}-600.woff2`, to), font);
  console.log(name, font.length);
}
