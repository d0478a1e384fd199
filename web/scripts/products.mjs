// Renders the pictures of the sample camps' products from the drawings in core/src/seed/art, in the two sizes that the
// portal keeps. Run it by hand (`npm run products`) after changing a drawing. The results are committed. To render only
// some drawings, name them: `npm run products -- cap puzzle`.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const art = new URL("../../core/src/seed/art/", import.meta.url);
const kept = new URL("../../core/src/seed/media/products/", import.meta.url);
// Flat shapes lose little at these qualities, and the pictures are part of the binary.
const sizes = [
  { end: "", width: 720, quality: 44 },
  { end: "-small", width: 480, quality: 40 },
];

const faces = ["latin", "hebrew"].map((script) => {
  const file = readFileSync(new URL(`../src/fonts/frank-ruhl-libre-${script}-600.woff2`, import.meta.url), "base64");
  return `@font-face { font-family: ${script}; src: url(data:font/woff2;base64,${file}); }`;
});

const shared = readFileSync(new URL("shared.svg", art), "utf8").replace(/<\/?svg[^>]*>/g, "");
const asked = process.argv.slice(2);
const all = readdirSync(art)
  .map((file) => file.replace(".svg", ""))
  .filter((name) => name !== "shared");
const names = asked.length > 0 ? asked : all;

mkdirSync(kept, { recursive: true });
const browser = await chromium.launch(
  process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } : {},
);
const page = await browser.newPage({ colorScheme: "light" });
for (const name of names) {
  // A class on the drawing's root element sets its light, so the shared parts are inserted inside that element.
  const drawing = readFileSync(new URL(`${name}.svg`, art), "utf8").replace(">", () => `>${shared}`);
  await page.setContent(
    `<style>${faces.join("")} body { margin: 0; } svg { display: block; width: 100vw; font-family: latin, hebrew; }</style>${drawing}`,
  );
  await page.evaluate(() => document.fonts.ready);
  for (const { end, width, quality } of sizes) {
    await page.setViewportSize({ width, height: (width * 3) / 4 });
    writeFileSync(new URL(`${name}${end}.jpg`, kept), await page.screenshot({ type: "jpeg", quality }));
  }
}
await browser.close();
