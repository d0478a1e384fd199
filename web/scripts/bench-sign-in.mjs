// Measures sign-ins: their processor time compared with the bare password hash, and how long the public list takes
// while many people sign in. `just bench sign-in` runs it. It needs an idle machine.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  areThere,
  bench,
  client,
  connections,
  engines,
  judge,
  load,
  median,
  newCamp,
  parents,
  password,
  place,
  printHead,
  printMachine,
  printRow,
  request,
  rounds,
  run,
  seconds,
  serve,
  signInOwner,
  spread,
  wrk,
} from "./bench-support.mjs";

/** The lowest acceptable ratio of the bare hash's processor time to a sign-in's. */
const least = 0.9;
/** How much slower the slowest of a hundred lists may be during a flood of sign-ins. */
const most = 3;
/** How many people sign in at the same time. */
const open = 16;
/** A hash takes milliseconds, so few fit into a second. */
const lasts = 3 * seconds;

/** A wrk script in which families sign in, each from its own address. */
async function writeScript(emails) {
  const script = join(place, "sign-in.lua");
  const bodies = emails.map((email) => `[[${JSON.stringify({ email, password })}]]`);
  await writeFile(
    script,
    `local bodies = { ${bodies.join(", ")} }
local n = 0
request = function()
  n = n + 1
  local headers = { ["content-type"] = "application/json", ["x-forwarded-for"] = "10." .. math.floor(n / 250) % 250 .. "." .. n % 250 .. ".9" }
  return wrk.format("POST", "/api/auth/sign-in", headers, bodies[n % #bodies + 1])
end
`,
  );
  return script;
}

async function compareWithHash(engine, portal, script) {
  const [bare, whole] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bare.push(Number((await run(client, ["hashing", String(lasts)])).stdout));
    whole.push((await load(portal.pid, portal.url, { script, open, lasts })).cost / 1000);
  }
  const ratio = median(bare) / median(whole);
  const kept = judge(`${engine}: sign-in`, ratio >= least);
  printHead([engine, "a sign-in", "bare Argon2id", "ratio", "goal", "met"]);
  printRow(["processor time", spread(whole, 2, "ms"), spread(bare, 2, "ms"), ratio.toFixed(2), least, kept]);
}

async function listDuringFlood(engine, portal, script) {
  const list = `${portal.url}/api/videos?limit=60`;
  const [quiet, busy] = [[], []];
  for (let round = 0; round < rounds; round++) {
    quiet.push((await request(list, { lasts })).p99);
    const flood = request(portal.url, { script, open, lasts: lasts + 2 });
    await request(list, { lasts: 1 });
    busy.push((await request(list, { lasts })).p99);
    await flood;
  }
  const slower = median(busy) / median(quiet);
  const kept = judge(`${engine}: list during sign-ins`, slower <= most);
  printHead([engine, "quiet", `while ${open} sign in all the time`, "times", "at most", "met"]);
  printRow([
    `99th percentile of the list, ${connections} connections`,
    spread(quiet, 1, "ms"),
    spread(busy, 1, "ms"),
    slower.toFixed(2),
    most,
    kept,
  ]);
}

await bench(async () => {
  if (!(await areThere(wrk))) return;
  await printMachine(wrk);
  console.log(`medians of ${rounds} times ${lasts} s`);
  for (const engine of engines()) {
    const portal = await serve(await newCamp(engine));
    const script = await writeScript(await parents(portal.url, await signInOwner(portal.url), 150));
    await compareWithHash(engine, portal, script);
    await listDuringFlood(engine, portal, script);
  }
});
