import { defineConfig, devices } from "@playwright/test";

// A journey starts its own portal (see e2e/house); the browser is the machine's own, and reaches nothing beyond it.
export default defineConfig({
  testDir: "e2e",
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    locale: "en-US",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
      // Root has no other way to start it.
      chromiumSandbox: process.getuid?.() !== 0,
      args: ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"],
    },
  },
});
