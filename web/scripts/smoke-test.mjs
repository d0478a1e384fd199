// Starts the given binary as the server of an empty camp, and checks that it becomes ready and serves the site.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [binary] = process.argv.slice(2);
const deadline = Date.now() + 120_000;
const folder = await mkdtemp(join(tmpdir(), "camp-smoke-test-"));
const free = createServer().listen(0, "127.0.0.1");
await once(free, "listening");
const address = `127.0.0.1:${free.address().port}`;
await new Promise((closed) => free.close(closed));

const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith("CAMP_"));
const portal = spawn(binary, ["serve", "--with-worker", "--data-dir", join(folder, "camp"), "--bind", address], {
  env: Object.fromEntries(foreign),
});
let log = "";
for (const stream of [portal.stdout, portal.stderr]) stream.on("data", (text) => (log += text));
const ended = once(portal, "exit");

async function answer(path) {
  const response = await fetch(`http://${address}${path}`);
  if (!response.ok) throw new Error(`${path} is answered with ${response.status}`);
  return response.text();
}

async function ready() {
  for (;;) {
    if (portal.exitCode !== null) throw new Error(`It ended with ${portal.exitCode}`);
    try {
      return await answer("/readyz");
    } catch (error) {
      if (Date.now() > deadline) throw new Error("It is not ready after two minutes", { cause: error });
      await new Promise((later) => setTimeout(later, 50));
    }
  }
}

try {
  await ready();
  const home = await answer("/");
  const scripts = [...home.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path]) => path);
  if (scripts.length === 0) throw new Error(`Home is no page of the site:\n${home.slice(0, 500)}`);
  for (const path of scripts) await answer(path);
  portal.kill("SIGTERM");
  const [code] = await ended;
  if (code !== 0) throw new Error(`It ended with ${code} when it was asked to stop`);
  console.log(`${binary}: /readyz and / are answered, ${scripts.length} scripts are there.`);
} catch (error) {
  console.error(log);
  console.error(error);
  process.exitCode = 1;
} finally {
  portal.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
