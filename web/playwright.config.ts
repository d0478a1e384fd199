import { availableParallelism } from "node:os";
import { defineConfig, devices } from "@playwright/test";
import { headlessShell } from "./e2e/support/browsers";

// A journey starts its own portal (see e2e/support); the browser is the machine's own, and reaches nothing beyond it.
export default defineConfig({
  testDir: "e2e",
  // Journeys wait about a third of their time, so one more than there are cores.
  workers: Math.min(availableParallelism() + 1, 8),
  fullyParallel: true,
  // Only for what hangs: no limit is near what a journey takes, however slow or busy the machine.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  // One that passes only at the second try is a fault to be found: the suite names it.
  retries: 1,
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    locale: "en-US",
    // A fifth of the browser's work is animation; a journey that is about motion asks for it.
    contextOptions: { reducedMotion: "reduce" },
    // A trace doubles the work; to see what happened: npx playwright test NAME --trace=retain-on-failure
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: headlessShell,
  },
});
