import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import tailwindcss from "@tailwindcss/vite";
import { build, createServer, type InlineConfig } from "vite";
import type * as Shells from "../src/app/shells";
import type * as Paths from "../src/lib/staff-paths";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = `${root}node_modules/.shells`;

/** What the server fills in, written as the HTML has it: `[[name]]`. `api/src/frontend/shells.rs` knows the same. */
const hole = (name: string) => `[[${name}]]`;
/** Numbers cannot be holes; these stand for them. */
const numbers = { 987_001: "logo_width", 987_002: "logo_height", 987_003: "picture_width" };

type Camp = { ownLogo?: boolean; yiddish?: boolean; picture?: boolean };

const siteOf = ({ ownLogo, yiddish, picture }: Camp) => ({
  site_name: hole("name") + (yiddish ? " · א" : ""),
  timezone: "UTC",
  utc_offsets: [],
  access: "everyone",
  posting_time_text: hole("posting_time"),
  today: "2000-01-01",
  current_year: 2000,
  pictures: {
    logo: ownLogo ? { url: hole("logo_url"), width: 987_001, height: 987_002 } : null,
    hero: picture ? [{ url: hole("picture"), small_url: hole("small_picture"), width: 987_003 }] : [],
  },
});

/** The little of a browser that rendering needs. Nothing of it listens or waits. */
function pretendToBeAt(pathname: string, camp: Camp) {
  const boot = JSON.stringify({ site: siteOf(camp), picture: camp.picture ? hole("picture") : null });
  Object.assign(globalThis, {
    location: new URL(pathname, "http://camp.invalid"),
    document: { getElementById: () => ({ textContent: boot }), querySelector: () => null },
    addEventListener: () => undefined,
  });
}

const withHoles = (html: string) =>
  Object.entries(numbers)
    .reduce((text, [number, name]) => text.replaceAll(number, hole(name)), html)
    .replaceAll("א", hole("yiddish"));

/** The heading of a page of the staff area, which is its title as well (`admin/shared/page-head.tsx`). */
const titleIn = (html: string) => /<h1[^>]*>([^<]+)<\/h1>/.exec(html)?.[1]!.replaceAll("&amp;", "&") ?? null;

/** Pages of the staff area without a shell of their own: only the bar at the top is rendered. */
const staffArea = "/admin/*";

const staffModule = "src/app/admin.tsx";

/** The source files of pages, as the manifest of the build names them, by what stands for their paths. */
function modules(file: string, paths: RegExp) {
  const source = readFileSync(root + file, "utf8");
  const pages = new RegExp(`page\\(${paths.source}, \\(\\) => import\\("([^"]+)"\\)\\)`, "g");
  return new Map(
    [...source.matchAll(pages)].map(([, path, from]) => [
      path!,
      new URL(`${from!}.tsx`, "file:///src/app/").pathname.slice(1),
    ]),
  );
}

/** The source files of the staff area's pages by their paths. */
function staffModules(addresses: Record<string, unknown>): Record<string, string> {
  const found = [...modules(staffModule, /staffPaths\.(\w+)/)].map(([name, module]) => {
    const path = addresses[name];
    if (typeof path !== "string") throw new Error(`Which address is staffPaths.${name}?`);
    return [path, module] as const;
  });
  if (!found[0]) throw new Error(`No page was found in ${staffModule}.`);
  // Leads to the first page.
  return Object.fromEntries([...found, ["/admin", found[0][1]]]);
}

/** Renders the shells of all pages, and the style sheet that they need. */
export async function renderShells() {
  pretendToBeAt("/", {});
  const server = await createServer({
    ...common,
    plugins: [react()],
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { pages, shellOf, logo } = (await server.ssrLoadModule("/src/app/shells.tsx")) as typeof Shells;
    const { staffPaths } = (await server.ssrLoadModule("/src/lib/staff-paths.ts")) as typeof Paths;
    const render = async (pathname: string, camp: Camp = {}) => {
      pretendToBeAt(pathname, camp);
      const [html, mark] = [await shellOf(pathname), logo()];
      if (!html.includes(mark)) throw new Error(`The shell of ${pathname} has no logo.`);
      return withHoles(html.replace(mark, () => hole("logo")));
    };
    const source = modules("src/app/routes.tsx", /"([^"]+)"/);
    const shells = {
      logos: [false, true].flatMap((yiddish) =>
        [false, true].map((ownLogo) => {
          pretendToBeAt("/", { yiddish, ownLogo });
          return { own: ownLogo, yiddish, html: withHoles(logo()) };
        }),
      ),
      pages: [] as { path: string; module: string; html: string; pictured: string }[],
      staff: {} as Record<string, { module: string; title: string | null; html: string }>,
      style: "",
      staff_style: "",
    };
    for (const { path } of [{ path: staffArea }, ...pages]) {
      const module = path === staffArea ? staffModule : source.get(path);
      if (!module) throw new Error(`Which file is the page ${path}?`);
      const pathname = path.replace(":id", "1").replace("*", "none");
      const html = await render(pathname);
      shells.pages.push({ path, module, html, pictured: await render(pathname, { picture: true }) });
    }
    shells.style = await styleOf("src/first-view.css", shells);
    for (const [path, module] of Object.entries(staffModules(staffPaths))) {
      const pathname = path === "/admin" ? staffPaths.dashboard : path;
      pretendToBeAt(pathname, {});
      const html = withHoles(await shellOf(pathname));
      shells.staff[path] = { module, title: titleIn(html), html };
    }
    shells.staff_style = await styleOf("src/first-view-of-staff.css", shells);
    return { json: JSON.stringify(shells), style: shells.style };
  } finally {
    await server.close();
  }
}

const common = { root, configFile: false, logLevel: "warn", publicDir: false } satisfies InlineConfig;

type All = {
  logos: { html: string }[];
  pages: { html: string; pictured: string }[];
  staff: Record<string, { html: string }>;
};

/** The rules of a style sheet with the classes of these shells. */
async function styleOf(sheet: string, shells: All) {
  mkdirSync(place, { recursive: true });
  const all = [
    ...shells.logos.map(({ html }) => html),
    ...shells.pages.flatMap(({ html, pictured }) => [html, pictured]),
    ...Object.values(shells.staff).map(({ html }) => html),
  ];
  // Tailwind reads text, not HTML.
  writeFileSync(`${place}/shells.html`, all.join("\n").replaceAll("&amp;", "&").replaceAll("&gt;", ">"));
  const built = await build({
    ...common,
    plugins: [tailwindcss()],
    build: { write: false, assetsInlineLimit: 0, rolldownOptions: { input: root + sheet } },
  });
  const files = (Array.isArray(built) ? built : [built]).flatMap((part) => ("output" in part ? part.output : []));
  const file = files.find(({ type, fileName }) => type === "asset" && fileName.endsWith(".css"));
  if (file?.type !== "asset") throw new Error(`${sheet} was not built.`);
  return String(file.source).trim();
}
