import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  expect,
  test as base,
  type APIRequestContext,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "@playwright/test";
import type { components } from "../../src/api/schema.gen";
import { linkTo } from "./mail";
import { Portal, type Plan } from "./portal";

export { expect };
export { linkTo } from "./mail";

type Schemas = components["schemas"];
export type AdminVideo = Schemas["AdminVideo"];

/** The password of everybody in the tests, except in the sample camp. */
export const password = "lantern over the lake";
export const samplePassword = "visiting-day-demo";

/** A video on YouTube. The tests cannot reach YouTube, so its player and pictures are mocked. */
export const onYouTube = (id = "dQw4w9WgXcQ") => ({
  link: `https://youtu.be/${id}`,
  picture: `https://i.ytimg.com/vi/${id}/maxresdefault.jpg`,
});

type WorkerFixtures = {
  /** The sample camp, created once for all tests that only read it. */
  demo: Portal;
};

type Fixtures = {
  post: Plan["post"];
  seeded: boolean;
  settings: Plan["settings"];
  /** Whether browsers have never visited the portal, so that the welcome popup appears. */
  newcomers: boolean;
  /** A portal for this test only. */
  camp: Portal;
  /** Opens a page for another person at another computer. */
  somebody: (options?: BrowserContextOptions) => Promise<Page>;
};

export const test = base.extend<Fixtures, WorkerFixtures>({
  post: ["folder", { option: true }],
  seeded: [false, { option: true }],
  settings: [{}, { option: true }],
  newcomers: [false, { option: true }],

  // `demo` belongs to `test`, although some tests do not use it: Playwright would start another worker and browser for
  // every other set of such fixtures.
  demo: [
    async ({ browserName: _any }, lend) => {
      const portal = await Portal.open({ post: "folder", seeded: true, settings: {} });
      await lend(portal);
      await portal.close();
    },
    { scope: "worker" },
  ],

  camp: async ({ post, seeded, settings }, lend, info) => {
    const portal = await Portal.open({ post, seeded, settings });
    await lend(portal);
    const troubles = await portal.troubles().catch((error: unknown) => [String(error)]);
    if (info.status !== info.expectedStatus)
      await info.attach("portal.log", { body: portal.logged, contentType: "text/plain" });
    await portal.close();
    expect(troubles, "the journey left trouble behind the scenes").toEqual([]);
  },

  baseURL: async ({ camp }, lend) => lend(camp.url),

  context: async ({ context, newcomers }, lend) => {
    const complaints = await watch(context, newcomers);
    await lend(context);
    expect(complaints, "what the browser complained about").toEqual([]);
  },

  somebody: async ({ browser, baseURL, newcomers }, lend) => {
    const all: { context: BrowserContext; complaints: string[] }[] = [];
    await lend(async (options = {}) => {
      const context = await browser.newContext({ baseURL, ...options });
      all.push({ context, complaints: await watch(context, newcomers) });
      return context.newPage();
    });
    for (const { context, complaints } of all) {
      await context.close();
      expect(complaints, "what the browser complained about").toEqual([]);
    }
  },
});

/** For tests that only read the sample camp, which they share. */
export const demoTest = test.extend({
  camp: async ({ demo }, lend, info) => {
    await lend(demo);
    const troubles = await demo.troubles();
    if (info.status !== info.expectedStatus)
      await info.attach("portal.log", { body: demo.logged, contentType: "text/plain" });
    expect(troubles, "the journey left trouble behind the scenes").toEqual([]);
  },
});

const media = join(import.meta.dirname, "../../../core/src/seed/media");

/** Records what must never happen on a page, and mocks other sites. */
async function watch(context: BrowserContext, newcomers: boolean): Promise<string[]> {
  const complaints: string[] = [];
  // Most people have seen the welcome popup, which would cover the page after fifteen seconds.
  if (!newcomers)
    await context.addInitScript(() => location.protocol === "http:" && localStorage.setItem("welcomePopupShown", "1"));
  context.on("weberror", (error) => complaints.push(String(error.error())));
  context.on("console", (message) => {
    if (/Content[- ]Security[- ]Policy|Minified React error/i.test(message.text())) complaints.push(message.text());
  });
  await context.route(
    ({ hostname }) => hostname !== "127.0.0.1",
    (route) => {
      const url = new URL(route.request().url());
      if (url.hostname === "i.ytimg.com" || url.pathname === "/thumbnail") {
        return route.fulfill({ body: readFileSync(join(media, "lake.jpg")), contentType: "image/jpeg" });
      }
      if (/^(www\.youtube-nocookie\.com|drive\.google\.com)$/.test(url.hostname)) {
        return route.fulfill({
          body: "<!doctype html><title>Player</title><h1>It plays</h1>",
          contentType: "text/html",
        });
      }
      complaints.push(`asked for ${url.href}`);
      return route.abort();
    },
  );
  return complaints;
}

type Person = { name: string; email: string; child?: string; daily?: boolean };

/** Sends a request like a page's script, with the cookies of the browser. */
export async function call<T = unknown>(
  request: APIRequestContext,
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  data?: unknown,
): Promise<T> {
  const answer = await request.fetch(path, { method, ...(data === undefined ? {} : { data }) });
  expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
  const text = await answer.text();
  return (text ? JSON.parse(text) : null) as T;
}

/** Signs a parent up in this browser; the address stays unconfirmed. */
export async function signUp({ request }: Page, { name, email, child = "Yossi", daily = true }: Person) {
  await call(request, "POST", "/api/auth/sign-up", {
    name,
    email,
    password,
    user_type: "parent",
    child_name: child,
    email_notifications: true,
    daily_video_email: daily,
    camp_updates_email: false,
  });
}

/** Signs up a parent, confirms the address, and leaves the parent signed in in this browser. */
export async function parent(page: Page, camp: Portal, person: Person) {
  await signUp(page, person);
  const token = new URL(linkTo("/auth/verify", await camp.mailTo(person.email, /confirm/))).searchParams.get("token");
  await call(page.request, "POST", "/api/auth/verify", { token });
}

/** Signs a staff member in in this browser. */
export async function staff(
  page: Pick<Page, "request">,
  camp: Portal,
  username = "miriam",
  role: "owner" | "staff" = "staff",
) {
  hire(camp, username, role);
  await call(page.request, "POST", "/api/admin/auth/sign-in", { username, password });
}

/** Adds a staff account from the command line. */
export function hire(camp: Portal, username = "miriam", role: "owner" | "staff" = "staff") {
  camp.run(["admin", "add", username, "--email", `${username}@camp.example`, "--role", role], `${password}\n`);
}

/** Posts a video as staff. */
export async function posted(
  staffPage: Page,
  video: Partial<Schemas["NewVideo"]> & { title: string },
): Promise<AdminVideo> {
  const saved = await call<Schemas["SavedVideo"]>(staffPage.request, "POST", "/api/admin/videos", {
    video_url: onYouTube().link,
    status: "published",
    ...video,
  });
  return saved.video;
}

type NewUpdate = Partial<Schemas["NewUpdate"]> & { title: string };

/** Posts an update as staff. */
export async function told(staffPage: Page, update: NewUpdate): Promise<Schemas["AdminUpdate"]> {
  const saved = await call<Schemas["SavedUpdate"]>(staffPage.request, "POST", "/api/admin/live-updates", {
    message: "More at supper.",
    author: "Camp office",
    ...update,
  });
  return saved.update;
}

/**
 * Holds these requests until they are released, so that a test can check what the page shows while it loads, on any
 * machine.
 */
export async function hold(page: Page, address: string | RegExp, method?: string) {
  let letGo = () => {};
  const gone = new Promise<void>((done) => (letGo = done));
  await page.route(address, async (route) => {
    if (!method || route.request().method() === method) await gone;
    await route.fallback().catch(() => undefined);
  });
  return letGo;
}

/** The camp's name as titles use it: without the Yiddish name after it. */
export const campName = ({ site_name }: { site_name: string }) => site_name.split(" · ")[0]!;

/** The list of toasts. */
export const toast = (page: Page) => page.getByRole("list", { name: "Notifications" });

/** The header's profile link of a signed-in user. */
export const account = (page: Page, name: string) =>
  page.getByRole("banner").getByRole("link", { name: `${name} View Profile` });

/** The header's sign-in link. */
export const signInLink = (page: Page) => page.getByRole("banner").getByRole("link", { name: "Sign In" });

/** The sign-in form of parents. */
export async function signIn(page: Page, email: string, secret = password) {
  await page.getByRole("main").getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign In" }).click();
}
