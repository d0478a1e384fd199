import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { compression } from "vite-plugin-compression2";
import { defineConfig } from "vitest/config";

const server = process.env.CAMP_SERVER ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/media"].map((path) => [path, { target: server }]));

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    compression({ algorithms: ["brotliCompress", "gzip"], include: /\.(js|css|svg|txt|json)$/, threshold: 512 }),
  ],
  resolve: {
    // CommonJS packages of tus-js-client: one of them outside of the entry puts the bundler's runtime into a file of its
    // own, which every page would load.
    alias: Object.fromEntries(
      ["url-parse", "combine-errors"].map((name) => [
        name,
        new URL(`src/admin/videos/uploads/tus/${name}.ts`, import.meta.url).pathname,
      ]),
    ),
  },
  server: { proxy },
  preview: { proxy },
  build: {
    // The content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
  test: {
    environment: "happy-dom",
    environmentOptions: {
      happyDOM: { url: "http://camp.test/", settings: { handleDisabledFileLoadingAsSuccess: true } },
    },
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    // Only for what hangs, on a slow or busy machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
