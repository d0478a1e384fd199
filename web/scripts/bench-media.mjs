// Measures how the portal serves the camp's own videos: the processor time for 50 readers of one file, next to nginx
// without sendfile in the same minutes, and how long the public list takes while a video is converted. `just bench
// media` runs it; it needs an idle machine.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const readers = 50;
const part = 1 << 20;
const rounds = 5;
/** The processor time that nginx needs, divided by what the portal needs. */
const leastRatio = 0.8;
const mostMemory = 32 << 20;
/** The slowest of a hundred lists, while a video is converted and before. */
const mostSlowdown = 2;
const lists = 500;

const run = promisify(execFile);
const camp = resolve(import.meta.dirname, "../..", process.env.CAMP_BENCH_BIN ?? "target/release/camp");
const nginx = process.env.NGINX ?? "nginx";
const place = await mkdtemp(join(tmpdir(), "bench-media-"));
const data = join(place, "camp");
const running = [];

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

function start(program, args) {
  const child = spawn(program, args, { stdio: "ignore" });
  running.push(child);
  return child;
}

async function until(what, url) {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (tries > 300) throw new Error(`${what} did not start.`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

/** A camp with one file of about 60 MB that is still as it was filmed. */
async function openCamp() {
  const port = await freePort();
  const films = join(place, "films");
  await mkdir(films);
  const film = join(films, "2024-07-15 Benchmark.mp4");
  const input = "-f lavfi -i testsrc2=size=1920x1080:rate=24:duration=20 -f lavfi -i sine=440:duration=20";
  const rate = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -b:v 25M -minrate 25M -maxrate 25M -bufsize 25M";
  const form = "-x264-params nal-hrd=cbr -c:a aac -movflags +faststart";
  await run("ffmpeg", [..."-v error -y".split(" "), ...`${input} ${rate} ${form}`.split(" "), film]);
  // Without ffmpeg the file is stored as it is.
  const options = ["--data-dir", data, "--ffmpeg", join(place, "none")];
  await run(camp, ["seed", "--sample", "general", ...options]);
  await run(camp, ["gallery", "import", films, "--year", "2024", ...options]);
  const portal = start(camp, ["serve", "--with-worker", "--bind", `127.0.0.1:${port}`, ...options]);
  const url = `http://127.0.0.1:${port}`;
  await until("The portal", `${url}/readyz`);
  for (let tries = 0; tries < 600; tries++) {
    const { items } = await (await fetch(`${url}/api/videos?q=Benchmark&year=2024`)).json();
    if (items.length > 0) return { portal, url, id: items[0].id };
    await new Promise((later) => setTimeout(later, 100));
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

/** Returns `null` where nginx is missing. */
async function openNginx(file) {
  if (!(await run(nginx, ["-v"]).catch(() => null))) return null;
  const port = await freePort();
  const configuration = join(place, "nginx.conf");
  await writeFile(
    configuration,
    `daemon off; worker_processes 1; pid ${place}/nginx.pid; error_log ${place}/nginx.log; ${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 512; }
http {
  access_log off; sendfile off; keepalive_requests 100000;
  client_body_temp_path ${place}/a; proxy_temp_path ${place}/b; fastcgi_temp_path ${place}/c; uwsgi_temp_path ${place}/d; scgi_temp_path ${place}/e;
  server { listen 127.0.0.1:${port}; location = /film { alias "${file}"; } }
}
`,
  );
  const server = start(nginx, ["-c", configuration, "-e", join(place, "nginx.log"), "-p", place]);
  const url = `http://127.0.0.1:${port}/film`;
  await until("nginx", url);
  return { server, url };
}

/** The processor time in seconds and the memory in bytes of a process and of those that it started. */
async function used(pid) {
  const line = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  let seconds = (Number(fields[11]) + Number(fields[12])) / 100;
  let memory = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
  for (const child of children) {
    const of = await used(child);
    seconds += of.seconds;
    memory += of.memory;
  }
  return { seconds, memory };
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

/** All readers read the whole file. Returns the seconds of the processor for each gigabyte. */
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
    await new Promise((later) => setTimeout(later, 20));
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)];
}

const failures = [];
function check(name, value, ok) {
  console.log(`${ok ? "ok    " : "FAILED"}  ${name.padEnd(58)} ${value}`);
  if (!ok) failures.push(name);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

function summary(costs) {
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  return `${median(costs).toFixed(3)} s a GB (${least.toFixed(3)} to ${most.toFixed(3)})`;
}

async function version(program, words) {
  const said = await run(program, words).catch(() => null);
  return said ? `${said.stdout}${said.stderr}`.split("\n")[0].replace(/ Copyright.*/, "") : `no ${program}`;
}

async function printMachine() {
  const cores = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cores.length} cores ${cores[0].model}, ${memory}, Linux ${release()}`,
  );
  console.log(`${await version(nginx, ["-v"])}, ${await version("ffmpeg", ["-version"])}`);
}

/** Reads the film from both in turn. */
async function compare(portal, film, file) {
  const other = await openNginx(file.path);
  const costs = { portal: [], nginx: [] };
  const first = (await used(portal.pid)).memory;
  await read(film, file.size, portal.pid);
  const begun = (await used(portal.pid)).memory;
  let most = begun;
  for (let round = 0; round < rounds; round++) {
    const { cost, memory } = await read(film, file.size, portal.pid);
    costs.portal.push(cost);
    most = Math.max(most, memory);
    if (other) costs.nginx.push((await read(other.url, file.size, other.server.pid)).cost);
  }
  const gigabytes = ((file.size * readers) / 1e9).toFixed(1);
  console.log(`${readers} readers of ${megabytes(file.size)} in parts of 1 MiB, ${rounds} times ${gigabytes} GB`);
  console.log(`        processor time of the portal  ${summary(costs.portal)}`);
  if (other) {
    console.log(`        processor time of nginx       ${summary(costs.nginx)}`);
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
  await new Promise((later) => setTimeout(later, 1_000));
  const busy = await slowest(url);
  check("the conversion is still running", converting.exitCode === null ? "yes" : "no", converting.exitCode === null);
  check(
    `99th percentile of the public list during a conversion, at most ${mostSlowdown} times`,
    `${busy.toFixed(1)} ms, ${quiet.toFixed(1)} ms before`,
    busy <= quiet * mostSlowdown,
  );
}

try {
  await printMachine();
  const { portal, url, id } = await openCamp();
  await compare(portal, `${url}/media/videos/${id}`, await largestFile(join(data, "files")));
  await listWhileConverting(url);
} finally {
  for (const child of running) child.kill();
  await Promise.all(running.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  await rm(place, { recursive: true, force: true });
}
process.exit(failures.length > 0 ? 1 : 0);
