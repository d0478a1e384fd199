// Measures the pages that parents open most, as on a phone of the middle class with a slow line: the median of five
// runs each. Fails below 95 for performance and 100 for the rest. The portal is one of its own, with the sample camp.
import { spawn, spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { camp, freePort, median, place, run, sleep, stop } from "./bench-support.mjs";

const lighthouse = "lighthouse@12.8.2";
const runs = 5;
const least = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

/** `demo` makes the sample camp; `serve` serves it without a worker, which would take the processor from the pages. */
async function open(command) {
  const address = `127.0.0.1:${await freePort()}`;
  const portal = spawn(camp, [command, "--data-dir", join(place, "camp"), "--bind", address], { stdio: "ignore" });
  for (let tries = 0; ; tries++) {
    const ready = await fetch(`http://${address}/readyz`).catch(() => null);
    if (ready?.ok) return { portal, url: `http://${address}` };
    if (tries > 300 || portal.exitCode !== null) throw new Error("The portal did not start.");
    await sleep(100);
  }
}

async function measure(url) {
  const report = join(place, "report.json");
  await run(
    "npx",
    [
      "--yes",
      lighthouse,
      url,
      "--quiet",
      "--output=json",
      `--output-path=${report}`,
      `--chrome-flags=--headless=new${process.getuid?.() === 0 ? " --no-sandbox" : ""}`,
    ],
    { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM || "/usr/bin/chromium" } },
  );
  const { categories, audits } = JSON.parse(await readFile(report, "utf8"));
  return {
    scores: Object.fromEntries(Object.keys(least).map((name) => [name, Math.round(categories[name].score * 100)])),
    first: audits["first-contentful-paint"].numericValue,
    largest: audits["largest-contentful-paint"].numericValue,
    blocked: audits["total-blocking-time"].numericValue,
    failed: Object.keys(least)
      .filter((name) => name !== "performance")
      .flatMap((name) => categories[name].auditRefs)
      .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1)
      .map(({ id }) => id),
  };
}

/** The newest video, once it is converted, which changes its page. */
async function newest(url) {
  const { items } = await (await fetch(`${url}/api/videos?collection=current&limit=1`)).json();
  const [{ id, video_type }] = items;
  if (video_type !== "upload" || spawnSync("ffmpeg", ["-version"]).status !== 0) return id;
  console.log("Converting a video of the sample camp …");
  for (let tries = 0; !(await (await fetch(`${url}/api/videos/${id}`)).json()).hls_url; tries++) {
    if (tries > 1_200) throw new Error(`The video ${id} was not converted.`);
    await sleep(1_000);
  }
  return id;
}

let passed = 0;
let failed = 0;
const demo = await open("demo");
const id = await newest(demo.url);
await stop(demo.portal);
const { portal, url } = await open("serve");
try {
  for (const [name, path] of [
    ["Home", "/"],
    ["Video", `/video/${id}`],
    ["Current", "/current-videos"],
    ["Gallery", "/past-videos"],
    ["FAQ", "/faq"],
    ["Sign-in", "/auth"],
  ]) {
    const all = [];
    for (let i = 0; i < runs; i++) all.push(await measure(url + path));
    const scores = Object.keys(least).map((category) => [category, median(all.map((one) => one.scores[category]))]);
    const low = scores.filter(([category, score]) => score < least[category]);
    if (low.length === 0) passed++;
    else failed++;
    const ms = (key) => `${Math.round(median(all.map((one) => one[key])))} ms`;
    console.log(
      `${low.length === 0 ? "ok  " : "LOW "}  ${name.padEnd(8)} ${scores.map(([category, score]) => `${category} ${score}`).join(", ")}`,
    );
    console.log(`      first paint ${ms("first")}, largest ${ms("largest")}, blocked ${ms("blocked")}`);
    for (const audit of new Set(low.length === 0 ? [] : all.flatMap((one) => one.failed)))
      console.log(`      fails: ${audit}`);
  }
} finally {
  await stop(portal);
  await rm(place, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
