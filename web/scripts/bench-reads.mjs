// Measures how the portal answers reads: the processor time per response, compared with nginx sending the same bytes as
// a static file, and the requests per second of processor time, compared with PocketBase. `just bench reads` runs it.
// It needs an idle machine.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  areThere,
  bench,
  connections,
  engines,
  judge,
  load,
  median,
  newCamp,
  nginx,
  openNginx,
  parents,
  password,
  place,
  printHead,
  printMachine,
  printRow,
  readBytes,
  rounds,
  seconds,
  send,
  serve,
  signInOwner,
  spread,
  wrk,
} from "./bench-support.mjs";
import { comparePocketBase } from "./bench-pocketbase.mjs";

/** The lowest acceptable ratios of nginx's processor time to the portal's. */
const goals = { ready: 0.85, notModified: 0.55, signedIn: 0.6, list: 0.07, row: 0.25 };
const br = { "Accept-Encoding": "br" };
const list = "/api/videos?limit=60";
/** A cookie that makes the request bypass the cache, without naming a session. */
const stranger = { Cookie: "session=none" };

/** nginx, and a folder with the files that it sends. */
async function openFiles() {
  const folder = join(place, "files");
  await mkdir(folder);
  await writeFile(join(folder, "ready"), "");
  const http = `root ${folder}; sendfile on; location /packed/ { gzip_static on; }`;
  const { pid, url } = await openNginx("nginx", { http, probe: "/ready" });
  let count = 0;
  const add = async (bytes, name = String(count++)) => {
    await writeFile(join(folder, name), bytes);
    return `${url}/${name}`;
  };
  await mkdir(join(folder, "packed"));
  return { pid, add };
}

/** Loads both servers in turn and prints one line of the table. */
async function compare(sides, { name, path, headers = {}, otherHeaders = headers, file, goal }) {
  const results = { portal: [], nginx: [] };
  for (let round = 0; round < rounds; round++) {
    results.portal.push(await load(sides.portal.pid, sides.portal.url + path, { headers }));
    results.nginx.push(await load(sides.files.pid, file, { headers: otherHeaders }));
  }
  const all = (side, of) => results[side].map((result) => result[of]);
  const ratio = median(all("nginx", "cost")) / median(all("portal", "cost"));
  printRow([
    name,
    spread(all("portal", "cost"), 1, "µs"),
    spread(all("nginx", "cost"), 1, "µs"),
    ratio.toFixed(ratio < 0.1 ? 3 : 2),
    goal ?? "",
    goal ? judge(`${sides.engine}: ${name}`, ratio >= goal) : "",
    `${median(all("portal", "p99")).toFixed(1)} ms`,
    `${median(all("nginx", "p99")).toFixed(1)} ms`,
  ]);
}

const printColumns = (engine) =>
  printHead([engine, "portal (spread)", "nginx (spread)", "ratio", "goal", "met", "p99", "p99 of nginx"]);

const tag = async (url) => (await fetch(url, { headers: { "accept-encoding": "br" } })).headers.get("etag");

/** Lists, records and pages that everybody reads: uncompressed, with Brotli, and with a known ETag. */
async function publicReads(sides, id, forms) {
  const { portal, files } = sides;
  const record = `/api/videos/${id}`;
  const lists = [list, "/api/videos?collection=current", record, "/api/videos/years", "/api/live-updates"];
  const documents = ["/api/faq", "/api/site", "/api/store", "/feed.xml", "/sitemap.xml"];
  for (const path of [...lists, ...documents, "/", "/current-videos", `/video/${id}`]) {
    const name = path.replace(id, "{id}");
    const file = await files.add(await readBytes(portal.url + path));
    await compare(sides, { name, path, file, goal: goals.ready });
    if (!forms) continue;
    const packed = await files.add(await readBytes(portal.url + path, br));
    await compare(sides, { name: `${name}, br`, path, headers: br, file: packed, goal: goals.ready });
    const headers = { ...br, "If-None-Match": await tag(portal.url + path) };
    const otherHeaders = { "If-None-Match": await tag(packed) };
    await compare(sides, { name: `${name}, 304`, path, headers, otherHeaders, file: packed, goal: goals.notModified });
  }
}

/** Reads that the cache does not answer. Other forms of a list are compared with nginx sending the list of 60. */
async function uncachedReads(sides, id) {
  const { portal, files } = sides;
  const file = await files.add(await readBytes(portal.url + list));
  const { next } = await (await fetch(`${portal.url}/api/videos?limit=30`)).json();
  const ofList = { headers: stranger, otherHeaders: {}, file, goal: goals.list };
  await compare(sides, { ...ofList, name: `${list}, past the cache`, path: list });
  await compare(sides, { ...ofList, name: "list of 60 from the 31st", path: `${list}&cursor=${next}` });
  for (const word of ["the", "lake", "zzzz"]) {
    const path = `${list}&q=${word}`;
    const { items } = await (await fetch(portal.url + path)).json();
    await compare(sides, { ...ofList, name: `search that finds ${items.length}`, path });
  }
  for (const [path, goal] of [[`/api/videos/${id}`, goals.row], ["/api/live-updates"], ["/"], [`/video/${id}`]]) {
    const own = await files.add(await readBytes(portal.url + path, stranger));
    const name = `${path.replace(id, "{id}")}, past the cache`;
    await compare(sides, { ...ofList, name, path, file: own, goal });
  }
}

async function signedInReads(sides, id) {
  const { portal, files } = sides;
  const [email] = await parents(portal.url, await signInOwner(portal.url), 1);
  const { cookie } = await send(`${portal.url}/api/auth/sign-in`, { body: { email, password } });
  for (const path of [list, `/api/videos/${id}`, "/api/live-updates", "/", `/video/${id}`]) {
    for (const [form, extra] of [["", {}], ...(path === list ? [[", br", br]] : [])]) {
      const headers = { Cookie: cookie, ...extra };
      const file = await files.add(await readBytes(portal.url + path, headers));
      const name = `${path.replace(id, "{id}")}, signed in${form}`;
      await compare(sides, { name, path, headers, file, goal: goals.signedIn });
    }
  }
}

/** Files of the front end, compared with nginx using `gzip_static`. */
async function staticFiles(sides) {
  const { portal, files } = sides;
  const home = String(await readBytes(`${portal.url}/`));
  const found = ["index-[\\w-]+\\.js", "heebo-latin-[\\w-]+\\.woff2"];
  const headers = { "Accept-Encoding": "gzip" };
  for (const path of found.map((one) => new RegExp(`/assets/${one}`).exec(home)?.[0]).filter(Boolean)) {
    const type = path.split(".").at(-1);
    const file = await files.add(await readBytes(portal.url + path), `packed/file.${type}`);
    const packed = await readBytes(portal.url + path, headers);
    if (type !== "woff2") await files.add(packed, `packed/file.${type}.gz`);
    const name = `${type === "js" ? "script" : "font"}, gzip_static`;
    await compare(sides, { name, path, headers, file, goal: goals.ready });
  }
}

await bench(async () => {
  if (!(await areThere(nginx, wrk))) return;
  await printMachine(nginx, wrk);
  console.log(
    `${connections} connections, medians of ${rounds} times ${seconds} s, processor time of the server for each response`,
  );
  const files = await openFiles();
  for (const engine of engines()) {
    const portal = await serve(await newCamp(engine));
    const { items } = await (await fetch(`${portal.url}/api/videos?limit=1`)).json();
    const sides = { engine, portal, files };
    printColumns(engine);
    await publicReads(sides, items[0].id, engine === "SQLite");
    await signedInReads(sides, items[0].id);
    await uncachedReads(sides, items[0].id);
    if (engine !== "SQLite") continue;
    await staticFiles(sides);
    await comparePocketBase(portal, items[0].id);
  }
});
