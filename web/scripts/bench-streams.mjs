// Measures event streams: how fast thousands open, what they cost while nothing happens, how fast one update reaches
// them compared with nchan at the same time, and how fast they reconnect after a restart. `just bench streams` runs it.
// It needs an idle machine and a limit of at least 20,000 open files (ulimit -n).
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  bench,
  camp,
  client,
  judge,
  median,
  newCamp,
  openNginx,
  place,
  printHead,
  printMachine,
  printRow,
  run,
  send,
  serve,
  signInOwner,
  sleep,
  spread,
  start,
  stop,
  used,
} from "./bench-support.mjs";

const many = Number(process.env.STREAMS ?? 10_000);
const listeners = many / 2;
const updates = 10;
const idleSeconds = 20;
/** The limits. `memory` is in bytes and `back` in seconds. The others are ratios to nchan. */
const most = { memory: 22 << 10, back: 10, last: 1.15, delivery: 1.2 };
const nchan = process.env.NCHAN ?? "/usr";

/** A process that keeps streams open. */
function openClient(url, path) {
  const child = start(client, ["listeners", new URL(url).host, path], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (command) => {
    child.stdin.write(`${command}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the client ended at “${command}”`);
    return value.split(" ").slice(1).map(Number);
  };
  return { child, ask };
}

/** Opens this many streams, and keeps them open while nothing happens. */
async function openMany(name, pid, url, path, count) {
  await sleep(2_000);
  const before = await used(pid);
  const { child, ask } = openClient(url, path);
  const [took, refused] = await ask(`open ${count}`);
  const opened = await used(pid);
  await sleep(idleSeconds * 1_000);
  const after = await used(pid);
  printRow([
    name,
    count,
    `${(took / 1_000).toFixed(1)} s${refused > 0 ? `, ${refused} refused at first` : ""}`,
    `${(((opened.seconds - before.seconds) * 1e6) / count).toFixed(0)} µs`,
    `${((after.memory - before.memory) / count / 1024).toFixed(1)} KB`,
    `${(((after.seconds - opened.seconds) * 1_000) / idleSeconds).toFixed(1)} ms`,
  ]);
  return { child, ask, memory: (after.memory - before.memory) / count };
}

/** Restarts the portal, as an upgrade does, and waits until all streams are connected again. */
async function restart({ portal, options, more }, { ask }, count) {
  const port = new URL(portal.url).port;
  await ask("mark");
  const begun = performance.now();
  await stop(portal.child);
  const stopped = performance.now();
  const waiting = ask(`back ${count}`);
  const again = await serve(options, { more, port });
  const [took, refused] = await waiting;
  const words = `${(took / 1_000).toFixed(1)} s after its start, ${refused} tries were refused`;
  const kept = judge(`${count} streams back`, took <= most.back * 1_000);
  console.log(
    `\nrestart: ended after ${((stopped - begun) / 1_000).toFixed(1)} s; all ${count} streams back ${words}; at most ${most.back} s: ${kept}`,
  );
  return again;
}

/** Writes the bytes of a publishing request to a file for the client. */
async function writeRequest(file, url, path, headers, body) {
  const all = { host: new URL(url).host, connection: "close", "content-length": Buffer.byteLength(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  await writeFile(file, `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

const update = (title) => ({ title, message: "More at supper.", author: "Camp office", send_mail: false });

/** An example of the data in an update's event, for nchan. */
async function exampleOfEvent(url, cookie) {
  const answer = await fetch(`${url}/api/events`);
  const reader = answer.body.getReader();
  await send(`${url}/api/admin/live-updates`, { body: update("Update 0"), cookie });
  for (let text = ""; ;) {
    text += Buffer.from((await reader.read()).value).toString();
    const data = /event: update\.created\ndata: (.*)\n/.exec(text)?.[1];
    if (!data) continue;
    await reader.cancel();
    return data;
  }
}

/** Publishes to all streams of a client. */
async function publish(pid, { ask }, file) {
  const before = await used(pid);
  const [reached, middle, p99, last, answered] = await ask(`publish ${file}`);
  await sleep(300);
  const after = await used(pid);
  return { reached, middle, p99, last, answered, cost: ((after.seconds - before.seconds) * 1e6) / reached };
}

function printDeliveries(name, results) {
  const all = (of) => results.map((result) => result[of]);
  const ms = (of) =>
    spread(
      all(of).map((micros) => micros / 1_000),
      0,
      "ms",
    );
  const missed = results.filter(({ reached }) => reached < listeners).length;
  const [cost, last] = [all("cost").reduce((sum, one) => sum + one) / results.length, median(all("last"))];
  const figures = [ms("answered"), ms("middle"), ms("p99"), ms("last"), `${cost.toFixed(1)} µs`];
  printRow([name, missed > 0 ? `${missed} of ${updates} did not reach all` : "all", ...figures]);
  return { cost, last };
}

/** Sends an update to 5,000 streams, from the portal and from nchan in turn. */
async function deliver(portal, other) {
  const cookie = await signInOwner(portal.url);
  const data = await exampleOfEvent(portal.url, cookie);
  const ours = openClient(portal.url, "/api/events");
  await ours.ask(`open ${listeners}`);
  const theirs = other && openClient(other.url, "/sub");
  if (theirs) await theirs.ask(`open ${listeners}`);
  const [file, otherFile] = ["portal", "nchan"].map((name) => join(place, `${name}.request`));
  const json = { "content-type": "application/json" };
  const results = { portal: [], nchan: [] };
  for (let n = 1; n <= updates; n++) {
    const body = JSON.stringify(update(`Update ${n}`));
    await writeRequest(file, portal.url, "/api/admin/live-updates", { ...json, cookie }, body);
    results.portal.push(await publish(portal.pid, ours, file));
    if (!theirs) continue;
    await writeRequest(otherFile, other.url, "/pub", { "x-eventsource-event": "update.created" }, data);
    results.nchan.push(await publish(other.pid, theirs, otherFile));
  }
  const to = `one update to ${listeners} streams, ${updates} times`;
  printHead([to, "reached", "answer", "half", "99 %", "the last", "CPU of a delivery (mean)"]);
  const portals = printDeliveries("portal", results.portal);
  for (const { child } of [ours, theirs].filter(Boolean)) await stop(child);
  if (!other) return;
  const nchans = printDeliveries("nchan", results.nchan);
  printHead(["ratio to nchan", "ratio", "at most", "met"]);
  for (const [name, of] of [
    ["time to the last", "last"],
    ["CPU of a delivery", "cost"],
  ]) {
    const goal = of === "last" ? most.last : most.delivery;
    const ratio = portals[of] / nchans[of];
    printRow([name, ratio.toFixed(2), goal, judge(name, ratio <= goal)]);
  }
}

/** nginx with nchan, or `null` where it is not installed. */
async function openNchan() {
  const [program, module] = ["sbin/nginx", "lib/nginx/modules/ngx_nchan_module.so"].map((file) => join(nchan, file));
  const skip = (why) => {
    console.log(`skipped  ${why}, so nothing is compared with nchan`);
    return null;
  };
  if (![program, module].every((file) => existsSync(file)))
    return skip(`${program} with its module nchan is not there`);
  // nchan ignores the folders in the configuration and needs some in /var/lib. Only this process gets its own /var/lib.
  const own = 'mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/nginx && exec "$@"';
  const before = ["unshare", "--mount", "sh", "-c", own, "sh"];
  const possible = await run("unshare", [...before.slice(1), "true"]).catch(() => null);
  if (!possible) return skip("this account may not mount a folder of its own");
  const http = `location = /sub { nchan_subscriber eventsource; nchan_channel_id news; nchan_subscriber_first_message newest; }
    location = /pub { nchan_publisher; nchan_channel_id news; } location = /ready { return 200; }`;
  const files = await openFiles();
  const more = `load_module ${module}; worker_rlimit_nofile ${files};`;
  return openNginx("nchan", { http, more, program, before, events: files - 100, probe: "/ready" });
}

/** How many files a process may open here. */
async function openFiles() {
  return Number((await run("sh", ["-c", "ulimit -Hn"])).stdout.trim().replace("unlimited", "1000000"));
}

/** How many streams the portal says are open. */
async function openStreams({ url }) {
  const figures = await (await fetch(`${url}/metrics`)).text();
  return Number(/^camp_event_streams (\d+)$/m.exec(figures)?.[1]);
}

/** Opens three times as many streams, through as many portal processes as the limit on open files requires. */
async function openMost(options) {
  const count = 3 * many;
  const spare = 2_000;
  const processes = Math.ceil(count / ((await openFiles()) - spare));
  const each = Math.ceil(count / processes);
  const skip = (why) => console.log(`\nskipped  ${why}, so ${count} streams are not opened`);
  if (processes < 1 || processes > 4) return skip("too few open files are allowed here (ulimit -Hn)");
  const known = (await run(camp, ["serve", "--help"])).stdout.includes("--connections ");
  if (!known) return skip("this version of the portal has no --connections");
  const more = ["--connections", String(each + spare), "--event-streams", String(each)];
  printHead(["", "streams", "opened in", "CPU of opening each", "memory of each", "CPU of all, idle, a second"]);
  const all = [];
  for (let n = 1; n <= processes; n++) {
    const portal = await serve(options, { more, worker: n === 1 });
    const name = processes > 1 ? `portal, process ${n} of ${processes}` : "portal";
    all.push({ portal, ...(await openMany(name, portal.pid, portal.url, "/api/events", each)) });
  }
  let [open, memory] = [0, 0];
  for (const { portal } of all) {
    open += await openStreams(portal);
    memory += (await used(portal.pid)).memory;
  }
  const kept = judge(`${count} streams`, open >= count && all.every((one) => one.memory <= most.memory));
  console.log(
    `\n${open} streams are open at the same time; the portal uses ${(memory / 2 ** 20).toFixed(0)} MB in all: ${kept}`,
  );
  for (const { portal, child } of all) {
    await stop(child);
    await stop(portal.child);
  }
}

await bench(async () => {
  await printMachine();
  if (!existsSync(client)) throw new Error(`${client} is missing: cargo build --release -p bench`);
  const options = await newCamp();
  const more = [];
  let portal = await serve(options, { more });
  const other = await openNchan();
  printHead(["", "streams", "opened in", "CPU of opening each", "memory of each", "CPU of all, idle, a second"]);
  const streams = await openMany("portal", portal.pid, portal.url, "/api/events", many);
  if (other) await stop((await openMany("nchan", other.pid, other.url, "/sub", many)).child);
  judge("memory of a stream", streams.memory <= most.memory);
  portal = await restart({ portal, options, more }, streams, many);
  await stop(streams.child);
  await deliver(portal, other);
  await stop(portal.child);
  await openMost(options);
});
