// Fails when a page costs a parent's phone more than its budget. Sizes are as sent over the network: Brotli, and woff2
// unchanged.
import { readFileSync, statSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));

const KiB = 1024;
const budgets = { script: 83 * KiB, style: 10.5 * KiB, first: 7 * KiB, fonts: 35_000 };

/** An entry of the manifest, with everything that it imports statically. */
function withImports(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) withImports(next, seen);
  return seen;
}

const travels = (file) => {
  const path = new URL(file, dist);
  const packed = new URL(`${file}.br`, dist);
  // Very small files are not compressed.
  return statSync(packed, { throwIfNoEntry: false })?.size ?? statSync(path).size;
};
const total = (files) => [...new Set(files)].reduce((sum, file) => sum + travels(file), 0);

const home = [...withImports("index.html"), ...withImports("src/app/home.tsx")].map((key) => manifest[key]);
const fonts = Object.values(manifest)
  .map(({ file }) => file)
  .concat(home.flatMap(({ assets = [] }) => assets));
const english = fonts.filter((file) => /-latin-\d/.test(file));

const sizes = {
  script: total(home.map(({ file }) => file).filter((file) => file.endsWith(".js"))),
  style: total(home.flatMap(({ css = [] }) => css)),
  // The HTML before the camp's data is added. A page with the data fits into the first round trip of a connection, 14
  // KiB.
  first: brotliCompressSync(readFileSync(new URL("index.html", dist)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
  }).length,
  fonts: total(english),
};

let failed = false;
for (const [name, limit] of Object.entries(budgets)) {
  const over = sizes[name] === 0 || sizes[name] > limit;
  failed ||= over;
  console.log(
    `${over ? "OVER" : "ok  "}  ${name.padEnd(7)} ${(sizes[name] / KiB).toFixed(1).padStart(6)} KiB of ${(limit / KiB).toFixed(1)}`,
  );
}

// No code of the staff area may reach a public page, except by a lazy import.
const open = Object.keys(manifest).filter(
  (key) => /^src\/(?!admin\/)/.test(key) && manifest[key].isDynamicEntry && key !== "src/app/admin.tsx",
);
const leaks = ["index.html", ...open]
  .flatMap((key) => [...withImports(key)])
  .filter((key) => /admin|staff/i.test(manifest[key].src ?? ""));
if (leaks.length > 0) {
  failed = true;
  console.log(`OVER  staff code in public chunks: ${leaks.join(", ")}`);
}

// A page without the icons file shows no icons. Parts that a page loads later can use the same file.
const icons = Object.keys(manifest).find((key) => manifest[key].name === "parts");
const bare = Object.keys(manifest)
  .filter((key) => [...withImports("index.html")].some((of) => manifest[of].dynamicImports?.includes(key)))
  .concat("src/app/news.tsx")
  .filter((key) => !["src/app/home.tsx", "src/app/server-events.ts"].includes(key) && !withImports(key).has(icons));
if (bare.length > 0) {
  failed = true;
  console.log(`OVER  pages without ui/more-icons: ${bare.join(", ")}`);
}

process.exit(failed ? 1 : 0);
