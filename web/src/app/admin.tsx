import { lazy, Suspense, type ComponentType } from "react";
import type { QueryClient } from "@tanstack/react-query";
import type { Staff } from "../api/client";
import { Guard } from "../admin/sign-in/guard";
import { AdminNotFound } from "../admin/not-found/not-found";
import { dashboardQuery } from "../admin/shared/dashboard-query";
import { firstPage, mustSetUpTwoFactor, staffQuery } from "../admin/shared/session";
import { lazyPage } from "../lib/lazy-page";
import { Redirect, Route, Switch } from "../lib/navigation";
import { staffPaths } from "../lib/staff-paths";
import { AdminLayout, PrintLayout } from "./admin-layout";
import "../ui/more-icons";
import "./admin.css";

/** How long the first render waits for the session, in milliseconds. Until then the page shows its shell. */
const sessionTimeout = 5_000;
/** How long it then waits for the menu's numbers. */
const answersTimeout = 1_000;

/** `build/shells.ts` parses these lines, so that the HTML of each page names its scripts. */
const page = <Props extends object>(path: string, load: () => Promise<{ default: ComponentType<Props> }>) => ({
  path,
  ...lazyPage(load),
});

const pages = [
  page(staffPaths.dashboard, () => import("../admin/dashboard/dashboard")),
  page(staffPaths.reports, () => import("../admin/videos/reports")),
  page(staffPaths.gallery, () => import("../admin/videos/gallery")),
  page(staffPaths.comments, () => import("../admin/comments/comments")),
  page(staffPaths.liveUpdates, () => import("../admin/updates/updates")),
  page(staffPaths.messages, () => import("../admin/messages/messages")),
  page(staffPaths.mail, () => import("../admin/mail/mail")),
  page(staffPaths.faq, () => import("../admin/faq/faq")),
  page(staffPaths.store, () => import("../admin/store/store")),
  page(staffPaths.users, () => import("../admin/users/users")),
  page(staffPaths.payments, () => import("../admin/payments/payments")),
  page(staffPaths.accounts, () => import("../admin/accounts/accounts")),
  page(staffPaths.ownAccount, () => import("../admin/accounts/own-account")),
  page(staffPaths.analytics, () => import("../admin/analytics/analytics")),
  page(staffPaths.audit, () => import("../admin/audit/audit")),
  page(staffPaths.settings, () => import("../admin/settings/settings")),
];

const login = page(staffPaths.login, () => import("../admin/sign-in/login"));

const Statement = lazy(() => import("../admin/users/statement"));
const Receipt = lazy(() => import("../admin/users/receipt"));

const printed: [path: string, Page: ComponentType][] = [
  ["/admin/users/:id/statement", Statement],
  ["/admin/users/:id/receipt/:paymentId", Receipt],
];

/**
 * Loads the page for a URL before it renders, together with the data that all pages show. `/admin` leads to the first
 * page.
 */
export async function fetchPage(pathname: string, client?: QueryClient) {
  const wanted = pathname === "/admin" ? firstPage : pathname;
  await Promise.all([[...pages, login].find(({ path }) => path === wanted)?.fetch(), client && fetchAnswers(client)]);
}

/**
 * The HTML has already requested both. A page that renders with them right away does not shift. Without them it shows
 * skeletons.
 */
async function fetchAnswers(client: QueryClient) {
  const letters = fetchHebrew();
  await atMost(sessionTimeout, client.prefetchQuery(staffQuery));
  const staff = client.getQueryData(staffQuery.queryKey)?.staff;
  const welcome = staff && !mustSetUpTwoFactor(staff);
  const rest = welcome ? Promise.all([client.prefetchQuery(dashboardQuery), letters]) : login.fetch();
  await atMost(answersTimeout, rest);
}

/** Nearly every page has Hebrew words. In another font they would take more lines, and everything below would shift. */
const fetchHebrew = () =>
  Promise.allSettled(["Heebo Variable", "Frank Ruhl Libre"].map((font) => document.fonts?.load(`1em '${font}'`, "א")));

const atMost = (milliseconds: number, work: Promise<unknown>) =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, milliseconds))]);

const nobodyYet = { username: "", role: "staff" } as Staff;

/** What a page of the staff area shows before its data, and before the session is known. */
export function shellOf(pathname: string) {
  const Page = pages.find(({ path }) => path === pathname)?.Page;
  return (
    Page && (
      <AdminLayout staff={nobodyYet} onSignedOut={() => undefined}>
        <Page onSignedOut={() => undefined} />
      </AdminLayout>
    )
  );
}

/** The routes of the staff area. */
export default function Admin() {
  return (
    <Switch>
      <Route path={staffPaths.login}>
        <Suspense>
          <login.Page />
        </Suspense>
      </Route>
      {printed.map(([path, Page]) => (
        <Route key={path} path={path}>
          <Guard>
            {() => (
              <PrintLayout>
                <Page />
              </PrintLayout>
            )}
          </Guard>
        </Route>
      ))}
      <Route>
        <Guard>
          {(staff, leave) => (
            <AdminLayout staff={staff} onSignedOut={leave}>
              <Switch>
                <Route path="/admin">
                  <Redirect to={firstPage} replace />
                </Route>
                {pages.map(({ path, Page }) => (
                  <Route key={path} path={path}>
                    <Page onSignedOut={leave} />
                  </Route>
                ))}
                <Route>
                  <AdminNotFound />
                </Route>
              </Switch>
            </AdminLayout>
          )}
        </Guard>
      </Route>
    </Switch>
  );
}
