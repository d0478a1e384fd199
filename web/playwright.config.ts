import { defineConfig, devices } from "@playwright/test";

// A journey starts its own portal (see e2e/); the browser is the machine's own when CHROMIUM names one.
export default defineConfig({
  testDir: "e2e",
  fullyParallel: false,
  workers: 1,
  reporter: "list",
  use: {
    ...devices["Desktop Chrome"],
    baseURL: process.env.CAMP_URL ?? "http://127.0.0.1:8080",
    trace: "retain-on-failure",
    launchOptions: process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : {},
  },
});
