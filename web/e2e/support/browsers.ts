import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these programs that is installed. */
function find(...names: string[]) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

const launch = (executablePath: string | undefined) => ({
  executablePath,
  // Chromium's sandbox does not work as root.
  chromiumSandbox: process.getuid?.() !== 0,
  args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"],
});

/** Chromium's headless shell, which takes half the time of the full browser. */
export const headlessShell = launch(process.env.CHROMIUM || find("chromium-headless-shell", "chromium"));

/** The full Chromium, which the notification tests need because the headless shell lacks notifications. */
export const wholeBrowser = launch(process.env.CHROMIUM || find("chromium"));
