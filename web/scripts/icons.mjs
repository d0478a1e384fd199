// Makes the icons for a phone's home screen from the logo. Run it by hand (`npm run icons`) after changing the logo.
// The results are committed.
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const folder = new URL("../public/", import.meta.url);
const logo = readFileSync(new URL("logo.svg", folder), "utf8").replace("<svg ", '<svg id="logo" ');
const paper = "#faf5ea";

// A maskable icon may be cut to a circle with four fifths of its width, so the mark stays well inside.
const icons = [
  { file: "icon-192.png", size: 192, mark: 0.86, ground: "transparent" },
  { file: "icon-512.png", size: 512, mark: 0.86, ground: "transparent" },
  { file: "icon-maskable-512.png", size: 512, mark: 0.56, ground: paper },
  { file: "apple-touch-icon.png", size: 180, mark: 0.68, ground: paper },
];

const browser = await chromium.launch(
  process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } : {},
);
const page = await browser.newPage({ colorScheme: "light" });
for (const { file, size, mark, ground } of icons) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>
    html, body { margin: 0; height: 100%; background: ${ground}; }
    body { display: grid; place-items: center; }
    #logo { width: ${mark * size}px; height: ${mark * size}px; }
  </style>${logo}`);
  writeFileSync(new URL(file, folder), await page.screenshot({ omitBackground: ground === "transparent" }));
}

// Mail programs and browsers request this file without being told: two PNG pictures in one file.
const small = [];
for (const size of [32, 48]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>html, body { margin: 0; background: transparent } #logo { display: block; width: ${size}px; height: ${size}px }</style>${logo}`,
  );
  small.push({ size, png: await page.screenshot({ omitBackground: true }) });
}
const head = Buffer.from([0, 0, 1, 0, small.length, 0]);
let at = head.length + 16 * small.length;
const entries = small.map(({ size, png }) => {
  const entry = Buffer.from([size, size, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  entry.writeUInt32LE(png.length, 8);
  entry.writeUInt32LE(at, 12);
  at += png.length;
  return entry;
});
writeFileSync(new URL("favicon.ico", folder), Buffer.concat([head, ...entries, ...small.map(({ png }) => png)]));
await browser.close();
