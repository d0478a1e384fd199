import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { compression } from "vite-plugin-compression2";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const server = process.env.CAMP_SERVER ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/media"].map((path) => [path, { target: server }]));

const everywhere = new RegExp(
  [
    "rolldown/runtime",
    "/node_modules/(react|react-dom|wouter|regexparam|scheduler|openapi-fetch|@tanstack/(query-core|react-query))/",
    "/src/lib/(format|navigation|page|paths)\\.",
    "/src/ui/(badge|button|class-names|icon|states|toast|two-scripts)\\.",
    "/src/videos/(queries|thumbnail|video-card)\\.",
  ].join("|"),
);
const actions = /(mutationObserver|useMutation|infiniteQueryObserver|useInfiniteQuery)\.js$/;
const isEverywhere = (id: string) => everywhere.test(id) && !actions.test(id);

/** What the first paint needs is in the HTML; the scripts wait in a template until `public/start.js` inserts them. */
const firstPaint: Plugin = {
  name: "first-paint",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const scripts: string[] = [];
      // Pages that load later would request the style sheet that is in the HTML; of a disabled link they believe that
      // it is there, and no browser loads it.
      let there = "";
      return html
        .replace(/<link rel="stylesheet" crossorigin href="\/([^"]+)">/, (_, file: string) => {
          const sheet = bundle[file];
          if (sheet?.type !== "asset") throw new Error(`The style sheet ${file} is missing.`);
          there = `<link rel="stylesheet" href="/${file}" disabled>`;
          return `<style>${String(sheet.source).trim()}</style>`;
        })
        .replace(/\s*(<link rel="modulepreload" [^>]*>|<script type="module" [^>]*><\/script>)/g, (_, tag: string) => {
          scripts.push(tag);
          return "";
        })
        .replace("<!--scripts-->", () => `${scripts.join("")}<!--scripts-->`)
        .replace("</body>", () => `${there}</body>`);
    },
  },
};

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    firstPaint,
    compression({ algorithms: ["brotliCompress", "gzip"], include: /\.(js|css|svg|txt|json)$/, threshold: 512 }),
  ],
  // A polyfill of the router for React 17.
  resolve: { alias: { "use-sync-external-store/shim/index.js": "react" } },
  server: { proxy },
  preview: { proxy },
  build: {
    // The content security policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    // What nearly every page needs is one file: packed together it is smaller, and it is one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", test: isEverywhere }] } } },
  },
  test: {
    environment: "happy-dom",
    environmentOptions: {
      happyDOM: {
        url: "http://camp.test/",
        settings: { handleDisabledFileLoadingAsSuccess: true, navigation: { disableFallbackToSetURL: true } },
      },
    },
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    // Only for what hangs, on a slow or busy machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
