import { lazy, useState, type ComponentType } from "react";
import { matchPath, Route, Routes } from "react-router";
import { PublicLayout } from "./public-layout";

type Module = { default: ComponentType };

/** A page whose code is loaded on demand; a page that is loaded already renders without a delay. */
function page(path: string, load: () => Promise<Module>) {
  let here: ComponentType | undefined;
  const fetch = async () => {
    const module = await load();
    here = module.default;
    return module;
  };
  const Later = lazy(fetch);
  function Page() {
    const [Here] = useState(() => here ?? Later);
    return <Here />;
  }
  return { path, fetch, Page };
}

const pages = [
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

const Admin = lazy(() => import("./admin"));

/** Loads the page at an address before the first render. The staff area loads its own pages. */
export const fetchPage = async (pathname: string) => {
  if (!matchPath("/admin/*", pathname)) await pages.find(({ path }) => matchPath(path, pathname))?.fetch();
};

/** All routes. Those of the staff area are in admin.tsx, so that public pages load none of its code. */
export function Sitemap() {
  return (
    <Routes>
      <Route element={<PublicLayout />}>
        {pages.map(({ path, Page }) => (
          <Route key={path} path={path} element={<Page />} />
        ))}
      </Route>
      <Route path="admin/*" element={<Admin />} />
    </Routes>
  );
}
