import { Suspense, type ComponentType } from "react";
import type { QueryClient } from "@tanstack/react-query";
import { parse } from "regexparam";
import { lazyPage } from "../lib/lazy-page";
import { Route, Switch } from "../lib/navigation";
import { useIsShell } from "../lib/shell";
import { PublicLayout } from "./public-layout";

/** `Shell` is what the page shows before its data arrives. */
type Module = { default: ComponentType; Shell?: ComponentType };

function page(path: string, load: () => Promise<Module>) {
  let Shell: ComponentType | undefined;
  const { fetch, Page } = lazyPage(async () => {
    const module = await load();
    ({ Shell } = module);
    return module;
  });
  function PageOrShell() {
    if (!useIsShell()) return <Page />;
    return Shell && <Shell />;
  }
  return { path, fetch, Page: PageOrShell };
}

export const pages = [
  page("/", () => import("./home")),
  page("/current-videos", () => import("../videos/current-videos")),
  page("/past-videos", () => import("../videos/past-videos")),
  page("/video/:id", () => import("./watch")),
  page("/about", () => import("../about/about")),
  page("/faq", () => import("../faq/faq")),
  page("/contact", () => import("../messages/contact")),
  page("/store", () => import("../store/store")),
  page("/privacy", () => import("../legal/privacy")),
  page("/terms", () => import("../legal/terms")),
  page("/subscribe/confirm", () => import("../subscribers/confirm")),
  page("/auth", () => import("../accounts/auth")),
  page("/auth/verify", () => import("../accounts/verify")),
  page("/auth/forgot", () => import("../accounts/forgot")),
  page("/auth/reset", () => import("../accounts/reset")),
  page("/unsubscribe", () => import("../accounts/unsubscribe")),
  page("/updates", () => import("../updates/updates-page")),
  page("/updates/:id", () => import("../updates/update-page")),
  page("/profile", () => import("./profile")),
  page("*", () => import("./not-found")),
];

const staff = lazyPage(() => import("./admin"));

const adminPath = "/admin/*?";
const matches = (path: string, pathname: string) => parse(path).pattern.test(pathname);

export const isStaffArea = (pathname: string) => matches(adminPath, pathname);

/**
 * Loads the page for a URL before it renders. With a client, it also loads the data that all pages of the staff area
 * show.
 */
export async function fetchPage(pathname: string, client?: QueryClient) {
  if (isStaffArea(pathname)) await (await staff.fetch()).fetchPage(pathname, client);
  else await pages.find(({ path }) => matches(path, pathname))?.fetch();
}

/** All routes. The staff area's routes are in admin.tsx, so that public pages load none of its code. */
export function Sitemap() {
  return (
    <Switch>
      <Route path={adminPath}>
        <Suspense>
          <staff.Page />
        </Suspense>
      </Route>
      <Route>
        <PublicLayout>
          <Switch>
            {pages.map(({ path, Page }) => (
              <Route key={path} path={path}>
                <Page />
              </Route>
            ))}
          </Switch>
        </PublicLayout>
      </Route>
    </Switch>
  );
}
