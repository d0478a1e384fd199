// Measures how the portal serves the camp's own videos: the processor time for 50 readers of one file, compared with
// nginx without sendfile at the same time, and how long the public list takes while a video is converted. `just bench
// media` runs it. It needs an idle machine.
import { mkdir, readdir, stat } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import {
  bench,
  camp,
  check,
  median,
  megabytes,
  nginx,
  openNginx,
  percentile,
  place,
  printMachine,
  run,
  serve,
  sleep,
  spread,
  start,
  used,
} from "./bench-support.mjs";

const readers = 50;
const part = 1 << 20;
const rounds = 5;
/** The lowest acceptable ratio of nginx's processor time to the portal's. */
const leastRatio = 0.8;
const mostMemory = 32 << 20;
/** How much slower the slowest of a hundred lists may be while a video is converted. */
const mostSlowdown = 2;
const lists = 500;

const data = join(place, "camp");

/** A camp with one file of about 60 MB that has not been converted. */
async function openCamp() {
  const films = join(place, "films");
  await mkdir(films);
  const film = join(films, "2024-07-15 Benchmark.mp4");
  const input = "-f lavfi -i testsrc2=size=1920x1080:rate=24:duration=20 -f lavfi -i sine=440:duration=20";
  const rate = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -b:v 25M -minrate 25M -maxrate 25M -bufsize 25M";
  const form = "-x264-params nal-hrd=cbr -c:a aac -movflags +faststart";
  await run("ffmpeg", [..."-v error -y".split(" "), ...`${input} ${rate} ${form}`.split(" "), film]);
  // Without ffmpeg, the file is stored unchanged.
  const options = ["--data-dir", data, "--ffmpeg", join(place, "none")];
  await run(camp, ["seed", "--sample", "general", ...options]);
  await run(camp, ["gallery", "import", films, "--year", "2024", ...options]);
  const { pid, url } = await serve(options);
  for (let tries = 0; tries < 600; tries++) {
    const { items } = await (await fetch(`${url}/api/videos?q=Benchmark&year=2024`)).json();
    if (items.length > 0) return { pid, url, id: items[0].id };
    await sleep(100);
  }
  throw new Error("The film was not published.");
}

async function largestFile(folder) {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    all
      .filter((one) => one.isFile())
      .map(async (one) => {
        const path = join(one.parentPath ?? one.path, one.name);
        return { path, size: (await stat(path)).size };
      }),
  );
  return files.toSorted((a, b) => b.size - a.size)[0];
}

/** nginx without sendfile, or `null` where it is missing. */
async function openFilm(file) {
  if (!(await run(nginx, ["-v"]).catch(() => null))) return null;
  const http = `sendfile off; location = /film { alias "${file}"; }`;
  const { pid, url } = await openNginx("nginx", { http, probe: "/film" });
  return { pid, url: `${url}/film` };
}

function readPart(agent, url, first, last) {
  return new Promise((done, fail) => {
    const asked = request(url, { agent, headers: { range: `bytes=${first}-${last}` } }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk) => (bytes += chunk.length));
      answer.on("end", () =>
        answer.statusCode === 206 && bytes === last - first + 1
          ? done()
          : fail(new Error(`${url}: ${answer.statusCode}, ${bytes} bytes`)),
      );
      answer.on("error", fail);
    });
    asked.on("error", fail);
    asked.end();
  });
}

/** All readers read the whole file. Returns the processor seconds per gigabyte. */
async function read(url, size, pid) {
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  const before = await used(pid);
  await Promise.all(
    Array.from({ length: readers }, async () => {
      for (let first = 0; first < size; first += part)
        await readPart(agent, url, first, Math.min(size, first + part) - 1);
    }),
  );
  const after = await used(pid);
  agent.destroy();
  return { cost: ((after.seconds - before.seconds) * 1e9) / (size * readers), memory: after.memory };
}

async function slowest(url) {
  const times = [];
  for (let at = 0; at < lists; at++) {
    const begun = performance.now();
    await (await fetch(`${url}/api/videos?collection=current`)).arrayBuffer();
    times.push(performance.now() - begun);
    await sleep(20);
  }
  return percentile(times, 0.99);
}

/** Reads the film from both servers in turn. */
async function compare(pid, film, file) {
  const other = await openFilm(file.path);
  const costs = { portal: [], nginx: [] };
  const first = (await used(pid)).memory;
  await read(film, file.size, pid);
  const begun = (await used(pid)).memory;
  let most = begun;
  for (let round = 0; round < rounds; round++) {
    const { cost, memory } = await read(film, file.size, pid);
    costs.portal.push(cost);
    most = Math.max(most, memory);
    if (other) costs.nginx.push((await read(other.url, file.size, other.pid)).cost);
  }
  const gigabytes = ((file.size * readers) / 1e9).toFixed(1);
  console.log(`${readers} readers of ${megabytes(file.size)} in parts of 1 MiB, ${rounds} times ${gigabytes} GB`);
  console.log(`        processor time of the portal  ${spread(costs.portal, 3, "s a GB")}`);
  if (other) {
    console.log(`        processor time of nginx       ${spread(costs.nginx, 3, "s a GB")}`);
    const ratio = median(costs.nginx) / median(costs.portal);
    check(
      `bytes for each second of the processor, at least ${leastRatio} of nginx`,
      ratio.toFixed(2),
      ratio >= leastRatio,
    );
  } else console.log("skipped  nginx is not there (NGINX names it), so nothing is compared with it");
  const memory = `${megabytes(first)} at first, ${megabytes(begun)} after one time, ${megabytes(most)} at the most`;
  check(`memory of the portal, at most ${megabytes(mostMemory)} more`, memory, most - begun <= mostMemory);
}

async function listWhileConverting(url) {
  const quiet = await slowest(url);
  const converting = start(camp, ["videos", "convert", "--all", "--data-dir", data]);
  await sleep(1_000);
  const busy = await slowest(url);
  check("the conversion is still running", converting.exitCode === null ? "yes" : "no", converting.exitCode === null);
  check(
    `99th percentile of the public list during a conversion, at most ${mostSlowdown} times`,
    `${busy.toFixed(1)} ms, ${quiet.toFixed(1)} ms before`,
    busy <= quiet * mostSlowdown,
  );
}

await bench(async () => {
  await printMachine(nginx, "ffmpeg");
  const { pid, url, id } = await openCamp();
  await compare(pid, `${url}/media/videos/${id}`, await largestFile(join(data, "files")));
  await listWhileConverting(url);
});
