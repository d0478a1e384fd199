// Runs PocketBase with the portal's list of videos, for `just bench reads`.
import { join } from "node:path";
import {
  freePort,
  load,
  median,
  place,
  printHead,
  printRow,
  rounds,
  run,
  spread,
  start,
  until,
  version,
} from "./bench-support.mjs";

const program = process.env.POCKETBASE ?? "pocketbase";
const list = "/api/videos?limit=60";

async function send(url, body, token) {
  const headers = { "content-type": "application/json", ...(token && { authorization: token }) };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The field type for this value of the portal. */
function field([name, value]) {
  const type = { string: "text", number: "number", boolean: "bool" }[typeof value] ?? "text";
  return { name: name === "id" ? "video_id" : name, type };
}

/** Starts PocketBase with these rows, which everybody may read. */
async function open(rows) {
  const folder = ["--dir", join(place, "pocketbase")];
  const account = ["bench@camp.example", "visiting-day-demo"];
  await run(program, ["superuser", "upsert", ...account, ...folder]);
  const address = `127.0.0.1:${await freePort()}`;
  const { pid } = start(program, ["serve", "--http", address, ...folder]);
  const url = `http://${address}`;
  await until("PocketBase", `${url}/api/health`);
  const login = { identity: account[0], password: account[1] };
  const { token } = await send(`${url}/api/collections/_superusers/auth-with-password`, login);
  const names = Object.entries(Object.assign({}, ...rows));
  const indexes = ["CREATE INDEX newest ON videos (upload_date DESC, published_at DESC)"];
  const collection = { name: "videos", type: "base", listRule: "", viewRule: "", fields: names.map(field), indexes };
  await send(`${url}/api/collections`, collection, token);
  let last = "";
  for (const { id, ...row } of rows)
    last = (await send(`${url}/api/collections/videos/records`, { ...row, video_id: id }, token)).id;
  const records = `${url}/api/collections/videos/records`;
  return {
    pid,
    list: `${records}?perPage=60&skipTotal=1&sort=-upload_date,-published_at`,
    record: `${records}/${last}`,
  };
}

/** Compares the same list and record in turn: from the portal past its cache, from its cache, and from PocketBase. */
export async function comparePocketBase(portal, id) {
  const said = await version(program, ["--version"]);
  if (!said.startsWith("pocketbase version")) {
    console.log(`\nskipped  ${program} is not there, so nothing is compared with it`);
    return;
  }
  const rows = [];
  for (let next = ""; next !== undefined && next !== null;) {
    const page = await (await fetch(`${portal.url}/api/videos?limit=100${next && `&cursor=${next}`}`)).json();
    rows.push(...page.items);
    ({ next } = page);
  }
  const other = await open(rows);
  printHead([`requests for each second of the processor, ${said}`, "portal", "portal, past the cache", "PocketBase"]);
  for (const [name, path, url] of [
    ["list of 60", list, other.list],
    ["record", `/api/videos/${id}`, other.record],
  ]) {
    const rates = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      const headers = { Cookie: "session=none" };
      const costs = [
        await load(portal.pid, portal.url + path),
        await load(portal.pid, portal.url + path, { headers }),
        await load(other.pid, url),
      ];
      costs.forEach(({ cost }, side) => rates[side].push(1e6 / cost));
    }
    const times = rates.slice(0, 2).map((side) => (median(side) / median(rates[2])).toFixed(1));
    const [ready, past, theirs] = rates.map((side) => spread(side, 0, "a second"));
    printRow([name, `${ready}, ${times[0]} times`, `${past}, ${times[1]} times`, theirs]);
  }
}
