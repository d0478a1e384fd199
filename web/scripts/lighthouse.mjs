// Measures the pages that parents open most and the pages of the staff area, as on a mid-range phone with a slow
// connection: the median of five runs each. Fails below 95 for performance and below 100 for the rest. A page of the
// staff area fails if its largest part is painted after two seconds. The script runs its own portal with the sample
// camp.
import { spawn, spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { camp, freePort, median, place, run, signInOwner, sleep, stop } from "./bench-support.mjs";

const lighthouse = "lighthouse@12.8.2";
const runs = Number(process.env.ROUNDS ?? 5);
const least = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };
/** Search engines do not see the staff area, and its first paint waits for who is signed in. */
const leastOfStaff = { accessibility: 100, "best-practices": 100 };
/** The latest time at which the largest part of a staff page may be painted, in milliseconds. */
const latestOfStaff = 2_000;

/** `demo` makes the sample camp. `serve` serves it without a worker, which would take processor time from the pages. */
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

/** Lighthouse occasionally fails to record a page, which says nothing about the page. */
async function measure(url, cookie) {
  for (let tries = 1; ; tries++) {
    try {
      return await measureOnce(url, cookie);
    } catch (error) {
      if (tries === 3 || !String(error.stderr).includes("Runtime error encountered")) throw error;
    }
  }
}

async function measureOnce(url, cookie) {
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
      ...(cookie ? [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`] : []),
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

/** The newest video, once its conversion is finished, because that changes its page. */
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

/**
 * Measures a page and prints the results. `goals` are the lowest acceptable scores, and `latest` is the limit for the
 * largest paint.
 */
async function judge(name, url, { goals, latest = Infinity, cookie }) {
  const all = [];
  for (let i = 0; i < runs; i++) all.push(await measure(url, cookie));
  const scores = Object.keys(least).map((category) => [category, median(all.map((one) => one.scores[category]))]);
  const low = scores.filter(([category, score]) => score < (goals[category] ?? 0));
  const late = median(all.map((one) => one.largest)) > latest;
  const good = low.length === 0 && !late;
  if (good) passed++;
  else failed++;
  const ms = (key) => `${Math.round(median(all.map((one) => one[key])))} ms`;
  console.log(
    `${good ? "ok  " : late ? "LATE" : "LOW "}  ${name.padEnd(14)} ${scores.map(([category, score]) => `${category} ${score}`).join(", ")}`,
  );
  console.log(`      first paint ${ms("first")}, largest ${ms("largest")}, blocked ${ms("blocked")}`);
  for (const audit of new Set(low.length === 0 ? [] : all.flatMap((one) => one.failed)))
    console.log(`      fails: ${audit}`);
}

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
  ])
    await judge(name, url + path, { goals: least });
  const cookie = await signInOwner(url, "kornbluh");
  for (const [name, path] of [
    ["Dashboard", "/admin/dashboard"],
    ["Reports", "/admin/reports"],
    ["Staff gallery", "/admin/gallery"],
    ["Comments", "/admin/comments"],
    ["Users", "/admin/users"],
    ["Payments", "/admin/payments"],
    ["Live updates", "/admin/live-updates"],
    ["Messages", "/admin/messages"],
    ["Email", "/admin/mail"],
    ["Staff FAQ", "/admin/faq"],
    ["Store", "/admin/store"],
    ["Analytics", "/admin/analytics"],
    ["Accounts", "/admin/admin-management"],
    ["Settings", "/admin/settings"],
    ["Audit", "/admin/audit"],
  ])
    await judge(name, url + path, { goals: leastOfStaff, latest: latestOfStaff, cookie });
} finally {
  await stop(portal);
  await rm(place, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
