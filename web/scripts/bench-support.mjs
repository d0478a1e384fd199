// Shared code of the benches: starts the portal and other servers, loads them with wrk, reads the processor time and
// memory of processes, and prints tables.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { cpus, release, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

export const run = promisify(execFile);
export const seconds = Number(process.env.SECONDS_EACH ?? 1);
export const rounds = Number(process.env.ROUNDS ?? 3);
export const connections = 64;

const root = resolve(import.meta.dirname, "../..");
export const camp = resolve(root, process.env.CAMP_BENCH_BIN ?? "target/release/camp");
/** The Rust program for those parts of the benches that Node would slow down. */
export const client = resolve(root, process.env.CAMP_BENCH_CLIENT ?? "target/release/bench");
export const nginx = process.env.NGINX ?? "nginx";
export const wrk = process.env.WRK ?? "wrk";
/** The password of all sample logins. */
export const password = "visiting-day-demo";

/** A temporary folder, removed at the end. */
export const place = await mkdtemp(join(tmpdir(), "bench-"));
const running = [];
const databases = [];
let camps = 0;
const failures = [];

/** Runs a bench, ends what it started, and exits with 1 if a goal was missed. */
export async function bench(measure) {
  try {
    await measure();
  } finally {
    await Promise.all(running.map((child) => stop(child)));
    for (const name of databases) await psql(`drop database if exists ${name} with (force)`);
    await rm(place, { recursive: true, force: true });
  }
  if (failures.length > 0) console.log(`\n${failures.length} missed: ${failures.join("; ")}`);
  process.exit(failures.length > 0 ? 1 : 0);
}

/** Records a missed goal. Returns what the table says about it. */
export function judge(name, ok) {
  if (!ok) failures.push(name);
  return ok ? "yes" : "NO";
}

/** Prints a line about a result that is in no table. */
export function check(name, value, ok) {
  console.log(`${ok ? "ok    " : "FAILED"}  ${name.padEnd(58)} ${value}`);
  judge(name, ok);
}

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
export const percentile = (numbers, part) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))];
export const sleep = (ms) => new Promise((later) => setTimeout(later, ms));
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** The median, with the minimum and the maximum. */
export function spread(numbers, digits, unit) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map((number) => number.toFixed(digits));
  return `${median(numbers).toFixed(digits)} ${unit} (${least} to ${most})`;
}

export const printRow = (cells) => console.log(`| ${cells.join(" | ")} |`);

export function printHead(cells) {
  console.log("");
  printRow(cells);
  console.log(`|${"---|".repeat(cells.length)}`);
}

/** The first line of a program's version output. */
export async function version(program, words) {
  const said = await run(program, words).catch((error) => error);
  const line = `${said.stdout ?? ""}${said.stderr ?? ""}`.split("\n")[0].replace(/ (Copyright|\[).*/, "");
  return line || `no ${program}`;
}

const versions = { [nginx]: ["-v"], [wrk]: ["-v"] };

/** Whether these programs, nginx and wrk are installed. Prints what is missing. */
export async function areThere(...tools) {
  for (const tool of tools) {
    if (!/^(wrk |nginx version)/.test(await version(tool, versions[tool]))) {
      console.log(`skipped  ${tool} is not there, so nothing is compared with it`);
      return false;
    }
  }
  return true;
}

export async function printMachine(...programs) {
  const cores = cpus();
  const commit = (await run("git", ["rev-parse", "--short", "HEAD"]).catch(() => ({ stdout: "?" }))).stdout.trim();
  const machine = `${cores.length} cores ${cores[0].model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}`;
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, commit ${commit}`);
  const all = await Promise.all(programs.map((program) => version(program, versions[program] ?? ["-version"])));
  if (all.length > 0) console.log(all.join(", "));
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

export function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: "ignore", ...options });
  child.on("error", () => {});
  running.push(child);
  return child;
}

export async function stop(child, signal = "SIGTERM") {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

export async function until(what, url) {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    if (tries > 300) throw new Error(`${what} did not start.`);
    await sleep(100);
  }
}

async function psql(statement) {
  await run("psql", [process.env.CAMP_TEST_POSTGRES_URL, "-qc", statement]);
}

/** The options of `camp` for a new camp on this engine. */
export async function newCamp(engine = "SQLite", { seed = ["--sample", "general", "--sample-logins"] } = {}) {
  const name = `bench_${process.pid}_${++camps}`;
  const options = ["--data-dir", join(place, name)];
  if (engine === "PostgreSQL") {
    await psql(`create database ${name}`);
    databases.push(name);
    options.push("--database-url", Object.assign(new URL(process.env.CAMP_TEST_POSTGRES_URL), { pathname: name }).href);
  }
  await run(camp, ["seed", ...seed, "--json", ...options]);
  return options;
}

/** SQLite, and PostgreSQL where `CAMP_TEST_POSTGRES_URL` names a server. */
export function engines() {
  const others = process.env.CAMP_TEST_POSTGRES_URL ? ["PostgreSQL"] : [];
  if (others.length === 0) console.log("skipped  CAMP_TEST_POSTGRES_URL names no PostgreSQL");
  return ["SQLite", ...others];
}

/** Serves a camp. Proxies on this machine may set the clients' addresses. */
export async function serve(options, { more = [], worker = true, port } = {}) {
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const words = ["serve", ...(worker ? ["--with-worker"] : []), "--bind", address];
  const child = start(camp, [...words, "--trusted-proxies", "127.0.0.0/8", ...more, ...options]);
  const url = `http://${address}`;
  await until("The portal", `${url}/healthz`);
  return { child, pid: child.pid, url };
}

/**
 * Starts nginx, or another program that understands its configuration. `http` goes inside `server`, `more` goes before
 * everything else, and `probe` is the path that answers once the program has started.
 */
export async function openNginx(name, { http, probe, more = "", events = 512, program = nginx, before = [] }) {
  const port = await freePort();
  const [folder, file] = [join(place, name), join(place, `${name}.conf`)];
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((of) => `${of}_temp_path ${folder}-${of};`);
  const user = process.getuid?.() === 0 ? "user root;" : "";
  await writeFile(
    file,
    `${more} daemon off; worker_processes 1; pid ${folder}.pid; error_log ${folder}.log; ${user}
events { worker_connections ${events}; }
http {
  access_log off; keepalive_requests 100000000; default_type application/json;
  ${folders.join(" ")} root ${place};
  server { listen 127.0.0.1:${port} backlog=4096; ${http} }
}
`,
  );
  const [first, ...words] = [...before, program, "-c", file, "-e", `${folder}.log`, "-p", place];
  const child = start(first, words);
  const url = `http://127.0.0.1:${port}`;
  await until("nginx", `${url}${probe}`);
  return { child, pid: child.pid, url };
}

/** The processor time in seconds and the memory in bytes of a process and its children. */
export async function used(pid) {
  const line = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  let time = (Number(fields[11]) + Number(fields[12])) / 100;
  let memory = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
  for (const child of children) {
    const of = await used(child);
    time += of.seconds;
    memory += of.memory;
  }
  return { seconds: time, memory };
}

/**
 * Loads a URL with wrk on all connections for this many seconds. Returns the number of requests and the 99th percentile
 * of their latency.
 */
export async function request(url, { headers = {}, script, open = connections, lasts = seconds } = {}) {
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const words = ["-t1", `-c${open}`, `-d${lasts}s`, "--latency", ...(script ? ["-s", script] : []), ...named, url];
  const { stdout } = await run(wrk, words);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(stdout);
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)[1]),
    p99: Number(p99) * { us: 1e-3, ms: 1, s: 1e3, m: 6e4 }[unit],
  };
}

/** The same, with the microseconds of the server's processor time per response. */
export async function load(pid, url, options) {
  const before = await used(pid);
  const { requests, p99 } = await request(url, options);
  const after = await used(pid);
  return { cost: ((after.seconds - before.seconds) * 1e6) / requests, p99 };
}

export async function readBytes(url, headers = {}) {
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await run("curl", ["-sSf", ...named, url], { encoding: "buffer", maxBuffer: 1 << 26 });
  return stdout;
}

/**
 * Sends a request from a client at this address, with JSON if there is a body. Returns the response's JSON and cookies.
 */
export async function send(url, { method, body, cookie, from = "192.0.2.1" } = {}) {
  const headers = { "content-type": "application/json", "x-forwarded-for": from, ...(cookie && { cookie }) };
  const content = body && { body: JSON.stringify(body) };
  const answer = await fetch(url, { method: method ?? (body ? "POST" : "GET"), headers, ...content });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  const cookies = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
  return { json: text ? JSON.parse(text) : null, cookie: cookies.join("; ") };
}

/** The cookie of the owner of the sample camp. */
export async function signInOwner(url, username = "thistlewood") {
  const body = { username, password };
  return (await send(`${url}/api/admin/auth/sign-in`, { body })).cookie;
}

/** The addresses of this many sample families that can sign in. */
export async function parents(url, owner, count) {
  const all = [];
  for (let cursor = ""; all.length < count;) {
    const list = `${url}/api/admin/users?limit=100${cursor && `&cursor=${cursor}`}`;
    const { json } = await send(list, { cookie: owner });
    all.push(...json.items.filter((one) => one.logins > 0 && one.email && one.user_type === "parent"));
    if (!json.next) break;
    cursor = json.next;
  }
  return all.slice(0, count).map(({ email }) => email);
}
