// Measures the portal's memory, and how long it takes from its start to the first response with an up-to-date database.
// Compares it with nginx and PocketBase, where they are installed. `just bench start` runs it. It needs an idle
// machine.
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import {
  areThere,
  bench,
  camp,
  connections,
  engines,
  freePort,
  judge,
  median,
  newCamp,
  place,
  printHead,
  printMachine,
  printRow,
  request,
  run,
  seconds,
  serve,
  sleep,
  spread,
  start,
  stop,
  version,
  wrk,
} from "./bench-support.mjs";

const starts = 10;
const pocketbase = process.env.POCKETBASE ?? "pocketbase";
/** The limits: milliseconds for the start, and megabytes of memory when idle and under load. */
const most = { start: 100, idle: 25, load: 60 };

const answers = (url) =>
  new Promise((done) => {
    const asked = get(url, { agent: false }, (answer) => {
      answer.resume();
      done(answer.statusCode === 200);
    });
    asked.on("error", () => done(false));
  });

/** The milliseconds from each start to the first response. */
async function measureStarts(program, words, path) {
  const times = [];
  for (let n = 0; n < starts; n++) {
    const address = `127.0.0.1:${await freePort()}`;
    const begun = performance.now();
    const child = start(program, words(address));
    while (!(await answers(`http://${address}${path}`))) {
      if (child.exitCode !== null || performance.now() - begun > 30_000) throw new Error(`${program} did not start`);
      await sleep(1);
    }
    times.push(performance.now() - begun);
    await stop(child);
  }
  return times;
}

/** Megabytes of memory: the peak, the current amount, and the part of it that the kernel could reread from files. */
async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [peak, now, files] = ["VmHWM", "VmRSS", "RssFile"].map((name) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]),
  );
  return { peak: peak / 1e3, now: now / 1e3, files: files / 1e3 };
}

/** Measures the memory after a while without requests, and the peak while pages, lists and records are loaded. */
async function measureMemory(options) {
  const { pid, url } = await serve(options);
  await sleep(5_000);
  const idle = await memoryOf(pid);
  const { items } = await (await fetch(`${url}/api/videos?limit=1`)).json();
  for (const path of ["/", "/api/videos?limit=60", `/api/videos/${items[0].id}`])
    for (const headers of [{}, { Cookie: "session=none" }]) await request(url + path, { headers, lasts: 2 * seconds });
  return { idle, busy: await memoryOf(pid) };
}

function printFigure(engine, name, value, figure, goal) {
  printRow([name, value, goal, judge(`${engine}: ${name}`, figure <= goal)]);
}

await bench(async () => {
  await printMachine();
  for (const engine of engines()) {
    const options = await newCamp(engine);
    const words = (address) => ["serve", "--with-worker", "--bind", address, ...options];
    const list = await measureStarts(camp, words, "/api/videos?limit=60");
    printHead([engine, "median (spread)", "at most", "met"]);
    printFigure(engine, `start to the first list, ${starts} times`, spread(list, 0, "ms"), median(list), most.start);
    if (!(await areThere(wrk))) continue;
    const { idle, busy } = await measureMemory(options);
    const split = ({ files }) => `${files.toFixed(1)} of it from files, such as the program`;
    printFigure(engine, "memory, idle", `${idle.now.toFixed(1)} MB, ${split(idle)}`, idle.now, most.idle);
    const name = `most memory with ${connections} connections`;
    printFigure(engine, name, `${busy.peak.toFixed(1)} MB, ${split(busy)}`, busy.peak, most.load);
  }
  const said = await version(pocketbase, ["--version"]);
  if (!said.startsWith("pocketbase version")) return void console.log(`skipped  ${pocketbase} is not there`);
  const folder = ["--dir", join(place, "pocketbase")];
  await run(pocketbase, ["superuser", "upsert", "bench@camp.example", "visiting-day-demo", ...folder]);
  const words = (address) => ["serve", "--http", address, ...folder];
  const times = await measureStarts(pocketbase, words, "/api/health");
  console.log(`\nfor comparison, ${said} without data: ${spread(times, 0, "ms")} to the first answer`);
});
