// Measures how the portal answers strangers: the processor time for each response, next to nginx that sends the same
// bytes as a static file. `just bench reads` runs it; it needs an idle machine.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const connections = 64;
const seconds = Number(process.env.SECONDS_EACH ?? 2);
const rounds = Number(process.env.ROUNDS ?? 3);
/** The processor time that nginx needs, divided by what the portal needs: of 200 and of 304. */
const least = { 200: 0.85, 304: 0.55 };

const run = promisify(execFile);
const camp = resolve(import.meta.dirname, "../..", process.env.CAMP_BENCH_BIN ?? "target/release/camp");
const nginx = process.env.NGINX ?? "nginx";
const wrk = process.env.WRK ?? "wrk";

for (const tool of [nginx, wrk]) {
  if (!/^(wrk |nginx version)/.test(await version(tool, ["-v"]))) {
    console.log(`skipped  ${tool} is not there, so nothing is compared`);
    process.exit(0);
  }
}

const place = await mkdtemp(join(tmpdir(), "bench-reads-"));
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

async function openCamp() {
  const port = process.env.CAMP_BENCH_PORT ?? (await freePort());
  const database = process.env.CAMP_BENCH_DATABASE ? ["--database-url", process.env.CAMP_BENCH_DATABASE] : [];
  const options = ["--data-dir", join(place, "camp"), ...database];
  await run(camp, ["seed", "--sample", "general", ...options]);
  const child = start(camp, ["serve", "--with-worker", "--bind", `127.0.0.1:${port}`, ...options]);
  const url = `http://127.0.0.1:${port}`;
  await until("The portal", `${url}/readyz`);
  const { items } = await (await fetch(`${url}/api/videos?limit=1`)).json();
  return { pid: child.pid, url, id: items[0].id };
}

/** nginx with these files. */
async function openNginx(count) {
  const port = await freePort();
  const configuration = join(place, "nginx.conf");
  await writeFile(
    configuration,
    `daemon off; worker_processes 1; pid ${place}/nginx.pid; error_log ${place}/nginx.log; ${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 512; }
http {
  access_log off; sendfile on; keepalive_requests 100000000; default_type application/json;
  client_body_temp_path ${place}/a; proxy_temp_path ${place}/b; fastcgi_temp_path ${place}/c; uwsgi_temp_path ${place}/d; scgi_temp_path ${place}/e;
  server { listen 127.0.0.1:${port}; root ${place}; }
}
`,
  );
  const child = start(nginx, ["-c", configuration, "-e", join(place, "nginx.log"), "-p", place]);
  const url = `http://127.0.0.1:${port}`;
  await until("nginx", `${url}/${count - 1}`);
  return { pid: child.pid, url };
}

/** The processor time in seconds of a process and of those that it started. */
async function used(pid) {
  const line = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  let sum = (Number(fields[11]) + Number(fields[12])) / 100;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
  for (const child of children) sum += await used(child);
  return sum;
}

/** Microseconds of the processor for each response, and the latency in milliseconds that 99 % keep. */
async function load(pid, url, headers) {
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const before = await used(pid);
  const { stdout } = await run(wrk, ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...named, url]);
  const after = await used(pid);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)[1]);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return { cost: ((after - before) * 1e6) / requests, p99: Number(p99) * { us: 1e-3, ms: 1, s: 1e3 }[unit] };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const failures = [];

/** Loads both in turn and prints one line of the table. */
async function compare(portal, other, name, path, headers, goal) {
  const results = { portal: [], nginx: [] };
  for (let round = 0; round < rounds; round++) {
    results.portal.push(await load(portal.pid, portal.url + path, headers.portal));
    results.nginx.push(await load(other.pid, `${other.url}/${headers.file}`, headers.nginx));
  }
  const figure = (side, of) => median(results[side].map((result) => result[of]));
  const all = results.portal.map(({ cost }) => cost);
  const ratio = figure("nginx", "cost") / figure("portal", "cost");
  if (goal && ratio < goal) failures.push(name);
  const spread = `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}`;
  const cells = [
    name,
    `${figure("portal", "cost").toFixed(1)} µs (${spread})`,
    `${figure("nginx", "cost").toFixed(1)} µs`,
  ];
  cells.push(
    ratio.toFixed(2),
    goal ?? "",
    `${figure("portal", "p99").toFixed(1)} ms`,
    `${figure("nginx", "p99").toFixed(1)} ms`,
  );
  console.log(`| ${cells.join(" | ")} |`);
}

async function readBytes(url, headers) {
  const { stdout } = await run("curl", ["-sSf", ...headers.flatMap((header) => ["-H", header]), url], {
    encoding: "buffer",
    maxBuffer: 1 << 26,
  });
  return stdout;
}

async function version(program, words) {
  const said = await run(program, words).catch((error) => error);
  return `${said.stdout ?? ""}${said.stderr ?? ""}`.split("\n")[0].replace(/ (Copyright|\[).*/, "");
}

async function printMachine() {
  const cores = cpus();
  const commit = (await run("git", ["rev-parse", "--short", "HEAD"]).catch(() => ({ stdout: "?" }))).stdout.trim();
  const machine = `${cores.length} cores ${cores[0].model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}`;
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, commit ${commit}`);
  console.log(`${await version(nginx, ["-v"])}, ${await version(wrk, ["-v"])}`);
  console.log(
    `${connections} connections, medians of ${rounds} times ${seconds} s, processor time for each response\n`,
  );
  console.log("| | portal (spread) | nginx | ratio | goal | p99 | p99 of nginx |\n|---|---|---|---|---|---|---|");
}

try {
  const portal = await openCamp();
  const paths = ["/api/videos?limit=60", `/api/videos/${portal.id}`, "/api/live-updates", "/", `/video/${portal.id}`];
  for (const [at, path] of paths.entries()) {
    await writeFile(join(place, `${2 * at}`), await readBytes(portal.url + path, []));
    await writeFile(join(place, `${2 * at + 1}`), await readBytes(portal.url + path, ["Accept-Encoding: br"]));
  }
  const other = await openNginx(2 * paths.length);
  await printMachine();
  const tag = async (url) => (await fetch(url, { headers: { "accept-encoding": "br" } })).headers.get("etag");
  for (const [at, path] of paths.entries()) {
    const name = path.replace(portal.id, "{id}");
    const [plain, packed] = [2 * at, 2 * at + 1];
    const br = { "Accept-Encoding": "br" };
    await compare(portal, other, `${name}`, path, { portal: {}, nginx: {}, file: plain }, least[200]);
    await compare(portal, other, `${name}, br`, path, { portal: br, nginx: br, file: packed }, least[200]);
    const portalTag = { ...br, "If-None-Match": await tag(portal.url + path) };
    const nginxTag = { "If-None-Match": await tag(`${other.url}/${packed}`) };
    await compare(
      portal,
      other,
      `${name}, 304`,
      path,
      { portal: portalTag, nginx: nginxTag, file: packed },
      least[304],
    );
    const session = { Cookie: "session=none" };
    await compare(portal, other, `${name}, past the cache`, path, { portal: session, nginx: {}, file: plain });
  }
} finally {
  for (const child of running) child.kill();
  await Promise.all(running.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  await rm(place, { recursive: true, force: true });
}
if (failures.length > 0) console.log(`\nbelow the goal: ${failures.join("; ")}`);
process.exit(failures.length > 0 ? 1 : 0);
