import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these programs that is installed. */
function find(...names: string[]) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

const launch = (executablePath: string | undefined) => ({
  executablePath,
  // Required for root.
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"],
});

/** The headless shell of Chromium, which takes half the time of the full browser. */
export const headlessShell = launch(process.env.CHROMIUM || find("chromium-headless-shell", "chromium"));

/** The full Chromium, for notifications, which the headless shell lacks. */
export const wholeBrowser = launch(process.env.CHROMIUM || find("chromium"));
