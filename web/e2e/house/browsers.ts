import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these programs that the machine has. */
function find(...names: string[]) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

const launch = (executablePath: string | undefined) => ({
  executablePath,
  // Root has no other way to start it.
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"],
});

/** Chromium without windows, which needs half the time of the whole one. */
export const headlessShell = launch(process.env.CHROMIUM || find("chromium-headless-shell", "chromium"));

/** The whole Chromium, for what the other one has not: notifications. */
export const wholeBrowser = launch(process.env.CHROMIUM || find("chromium"));
