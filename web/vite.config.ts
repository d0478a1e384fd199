import { availableParallelism } from "node:os";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { compression } from "vite-plugin-compression2";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { renderShells } from "./build/shells";

const server = process.env.CAMP_SERVER ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/media"].map((path) => [path, { target: server }]));

const everywhere = new RegExp(
  [
    "vite/preload-helper",
    "/src/app/(app|error-boundary|header|later|logo|nav|prefetch|public-layout|routes|use-server-events)\\.",
    "/src/lib/(lazy-page|pop-state|shell)\\.",
    "/node_modules/(react|react-dom|wouter|regexparam|scheduler|openapi-fetch|@tanstack/(query-core|react-query))/",
    "/src/api/first-answers\\.",
    "/src/lib/(format|navigation|page|paths)\\.",
    "/src/ui/(badge|button|class-names|icon|states|two-scripts)\\.",
    "/src/videos/(thumbnail|video-card)\\.",
  ].join("|"),
);
const actions = /(mutationObserver|useMutation|infiniteQueryObserver|useInfiniteQuery)\.js$/;
const isEverywhere = (id: string) => everywhere.test(id) && !actions.test(id);

/** What nearly every form and list of the staff area needs, and some public pages. */
const ofForms =
  /\/src\/(api\/(session|use-action)|lib\/(delete-unsent|unsent|forms)|ui\/(dialog|field|toast))\.|\/(mutationObserver|useMutation)\.js$/;
/** Of every list that goes on on the way down. */
const ofLists = /\/(load-more\.tsx|(infiniteQueryObserver|useInfiniteQuery)\.js)$/;
/** Small parts of most pages but Home: one request instead of ten. */
const ofMostPages =
  /\/src\/(api\/other-tabs|app\/theme|lib\/(address|clock|filters|initials|moments|money)|ui\/(avatar|more-icons|progress-bar|search-box|segmented))\./;
const ofStaff = /\/src\/(admin(?!\/(shared\/two-factor|users\/words|videos\/uploads))|app\/admin|lib\/staff-paths)/;
const ofUploads = /\/src\/admin\/videos\/uploads\//;

/**
 * The HTML has the style sheet of what it shows, and that of all pages waits with the scripts in a template until
 * `public/start.js` inserts them. The shells of the pages, which the server writes into the HTML, are beside the manifest.
 */
function firstView(): Plugin {
  let style = "";
  return {
    name: "first-view",
    apply: "build",
    async buildStart() {
      const shells = await renderShells();
      style = shells.style;
      this.emitFile({ type: "asset", fileName: ".vite/shells.json", source: shells.json });
    },
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const later: string[] = [];
        return html
          .replace(
            /\s*(<link rel="(?:stylesheet|modulepreload)" [^>]*>|<script type="module" [^>]*><\/script>)/g,
            (_, tag: string) => {
              later.push(tag);
              return "";
            },
          )
          .replace("<!--head-->", () => `<style>${style}</style><!--head-->`)
          .replace("<!--scripts-->", () => `${later.join("")}<!--scripts-->`);
      },
    },
  };
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    firstView(),
    compression({
      algorithms: ["brotliCompress", "gzip"],
      include: /\.(js|css|svg|txt|json)$/,
      exclude: /\.vite/,
      threshold: 512,
    }),
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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", test: isEverywhere },
            // Otherwise each page of the staff area needs some thirty files of less than a kilobyte.
            { name: "staff", test: ofStaff, minShareCount: 3, includeDependenciesRecursively: false },
            { name: "uploads", test: ofUploads, minShareCount: 3, includeDependenciesRecursively: false },
            { name: "forms", test: ofForms, includeDependenciesRecursively: false },
            { name: "parts", test: ofMostPages, includeDependenciesRecursively: false },
            { name: "lists", test: ofLists, includeDependenciesRecursively: false },
          ],
        },
      },
    },
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
    // Tests wait for half of their time, so twice as many files as there are cores.
    maxWorkers: 2 * availableParallelism(),
    // Only for what hangs, on a slow or busy machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
