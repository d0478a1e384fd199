import { existsSync } from "node:fs";
import { defineConfig, devices } from "@playwright/test";

/** Debian's browser without windows needs half the time of the full one. */
const browser = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

// A journey starts its own portal (see e2e/house); the browser is the machine's own, and reaches nothing beyond it.
export default defineConfig({
  testDir: "e2e",
  workers: 2,
  // Only for what hangs: no limit is near what a journey takes, however slow or busy the machine.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    locale: "en-US",
    // A trace doubles the work; to see what happened: npx playwright test NAME --trace=retain-on-failure
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM || browser.find(existsSync),
      // Root has no other way to start it.
      chromiumSandbox: process.getuid?.() !== 0,
      args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"],
    },
  },
});
