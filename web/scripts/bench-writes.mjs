// Measures reads during writes: somebody publishes every second, and 50 views and 20 comments arrive each second. `just
// bench writes` runs it. It needs an idle machine.
import {
  areThere,
  bench,
  connections,
  engines,
  judge,
  load,
  median,
  newCamp,
  parents,
  password,
  printHead,
  printMachine,
  printRow,
  rounds,
  seconds,
  send,
  serve,
  signInOwner,
  sleep,
  spread,
  used,
  wrk,
} from "./bench-support.mjs";

const views = 50;
const comments = 20;
/** A family may write 30 comments in ten minutes. */
const families = 60;
/** The share of their efficiency that reads must keep, and how much slower the slowest of a hundred may be. */
const least = 0.8;
const most = 2;
/** Runs longer than other benches, because somebody publishes only once a second. */
const lasts = 2 * seconds;

/** Signs families in, one at a time. */
async function signInFamilies(url) {
  const cookies = [];
  for (const email of await parents(url, await signInOwner(url), families))
    cookies.push((await send(`${url}/api/auth/sign-in`, { body: { email, password } })).cookie);
  return cookies;
}

/** Writes until it is told to stop. Returns how many writes of each kind succeeded, and what failed. */
function write(url, { owner, cookies, ids }) {
  const done = { views: 0, comments: 0, published: 0, late: 0, failed: [] };
  const open = new Set();
  const begin = (kind, promise) => {
    const one = promise
      .then(() => done[kind]++)
      .catch((error) => done.failed.push(error.message))
      .finally(() => open.delete(one));
    open.add(one);
  };
  const any = (list) => list[Math.floor(Math.random() * list.length)];
  const address = () => `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 254) + 1).join(".")}`;
  const view = () => send(`${url}/api/videos/${any(ids)}/views`, { method: "POST", from: address() });
  const comment = (n) => {
    const body = { content: `Comment number ${n} at ${performance.now()}` };
    return send(`${url}/api/videos/${any(ids)}/comments`, { body, cookie: cookies[n % cookies.length] });
  };
  const publish = async (n) => {
    const body = { title: `Update ${n}`, message: "More at supper.", author: "Camp office", send_mail: false };
    await send(`${url}/api/admin/live-updates`, { body, cookie: owner });
    const path = `${url}/api/admin/videos/${ids[0]}`;
    const { version } = (await send(path, { cookie: owner })).json;
    const change = { version, title: `The newest film, take ${n}` };
    await send(path, { method: "PATCH", body: change, cookie: owner });
  };
  const kinds = [
    ["views", views, view],
    ["comments", comments, comment],
    ["published", 1, publish],
  ];
  const begun = performance.now();
  const begins = kinds.map(() => 0);
  const timer = setInterval(() => {
    if (open.size > 500) return void done.late++;
    const elapsed = (performance.now() - begun) / 1000;
    kinds.forEach(([kind, rate, one], at) => {
      while (begins[at] < elapsed * rate) begin(kind, one(begins[at]++));
    });
  }, 10);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return { ...done, seconds: (performance.now() - begun) / 1000 };
    },
  };
}

/** The processor time of the writes alone, in milliseconds per second. */
async function writesAlone({ pid, url }, writers) {
  const before = await used(pid);
  const writing = write(url, writers);
  await sleep(lasts * 2_000);
  const done = await writing.stop();
  const time = (await used(pid)).seconds - before.seconds;
  if (done.failed.length > 0) throw new Error(`${done.failed.length} writes failed: ${done.failed[0]}`);
  const rate = (kind) => `${(done[kind] / done.seconds).toFixed(0)} ${kind}`;
  const rates = ["views", "comments", "published"].map(rate).join(", ");
  console.log(`\nwrites alone: ${rates} a second, ${((time * 1000) / done.seconds).toFixed(0)} ms of CPU a second`);
}

/** Alternates between reads alone and reads during writes. Everything that the portal does in that time counts. */
async function compare(engine, portal, writers, path) {
  const results = { quiet: [], busy: [] };
  for (let round = 0; round < rounds; round++) {
    results.quiet.push(await load(portal.pid, portal.url + path, { lasts }));
    const writing = write(portal.url, writers);
    results.busy.push(await load(portal.pid, portal.url + path, { lasts }));
    const { failed, late } = await writing.stop();
    if (failed.length > 0) throw new Error(`${failed.length} writes failed: ${failed[0]}`);
    if (late > 0) console.log(`Attention: the writes were held up ${late} times`);
  }
  const all = (side, of) => results[side].map((result) => result[of]);
  const kept = median(all("quiet", "cost")) / median(all("busy", "cost"));
  const slower = median(all("busy", "p99")) / median(all("quiet", "p99"));
  const name = path.replace(writers.ids[0], "{id}");
  printRow([
    name,
    ...["quiet", "busy"].map((side) => spread(all(side, "cost"), 1, "µs")),
    kept.toFixed(2),
    judge(`${engine}: CPU of ${name}`, kept >= least),
    ...["quiet", "busy"].map((side) => spread(all(side, "p99"), 1, "ms")),
    slower.toFixed(2),
    judge(`${engine}: p99 of ${name}`, slower <= most),
  ]);
}

await bench(async () => {
  if (!(await areThere(wrk))) return;
  await printMachine(wrk);
  console.log(
    `${connections} connections, medians of ${rounds} times ${lasts} s; the processor time of the portal includes its writes`,
  );
  for (const engine of engines()) {
    // `just bench mail` measures email, so no worker runs here.
    const portal = await serve(await newCamp(engine), { worker: false });
    const { items } = await (await fetch(`${portal.url}/api/videos?limit=60`)).json();
    const [owner, cookies] = [await signInOwner(portal.url), await signInFamilies(portal.url)];
    const writers = { owner, cookies, ids: items.map(({ id }) => id) };
    await writesAlone(portal, writers);
    const [kept, slower] = [`kept, at least ${least}`, `times, at most ${most}`];
    printHead([engine, "quiet", "during writes", kept, "met", "p99 quiet", "p99 during writes", slower, "met"]);
    for (const path of ["/api/videos?limit=60", `/api/videos/${items[0].id}`, "/"])
      await compare(engine, portal, writers, path);
  }
});
