import { lazy, type ComponentType } from "react";
import { Guard } from "../admin/sign-in/guard";
import { Login } from "../admin/sign-in/login";
import { AdminNotFound } from "../admin/not-found/not-found";
import { firstPage } from "../admin/shared/session";
import { Redirect, Route, Switch } from "../lib/navigation";
import { paths } from "../lib/paths";
import { AdminLayout, PrintLayout } from "./admin-layout";
import "./admin.css";

const Dashboard = lazy(() => import("../admin/dashboard/dashboard"));
const Reports = lazy(() => import("../admin/videos/reports"));
const Gallery = lazy(() => import("../admin/videos/gallery"));
const Comments = lazy(() => import("../admin/comments/comments"));
const Updates = lazy(() => import("../admin/updates/updates"));
const Messages = lazy(() => import("../admin/messages/messages"));
const Mail = lazy(() => import("../admin/mail/mail"));
const FaqManagement = lazy(() => import("../admin/faq/faq"));
const StoreManagement = lazy(() => import("../admin/store/store"));
const Users = lazy(() => import("../admin/users/users"));
const Statement = lazy(() => import("../admin/users/statement"));
const Receipt = lazy(() => import("../admin/users/receipt"));
const Accounts = lazy(() => import("../admin/accounts/accounts"));
const OwnAccount = lazy(() => import("../admin/accounts/own-account"));
const Analytics = lazy(() => import("../admin/analytics/analytics"));
const Audit = lazy(() => import("../admin/audit/audit"));
const Settings = lazy(() => import("../admin/settings/settings"));

const pages: [path: string, Page: ComponentType][] = [
  [paths.admin.reports, Reports],
  [paths.admin.gallery, Gallery],
  [paths.admin.comments, Comments],
  [paths.admin.liveUpdates, Updates],
  [paths.admin.messages, Messages],
  [paths.admin.mail, Mail],
  [paths.admin.faq, FaqManagement],
  [paths.admin.store, StoreManagement],
  [paths.admin.users, Users],
  [paths.admin.accounts, Accounts],
  [paths.admin.ownAccount, OwnAccount],
  [paths.admin.analytics, Analytics],
  [paths.admin.audit, Audit],
  [paths.admin.settings, Settings],
];

const printed: [path: string, Page: ComponentType][] = [
  ["/admin/users/:id/statement", Statement],
  ["/admin/users/:id/receipt/:paymentId", Receipt],
];

/** The routes of the staff area. */
export default function Admin() {
  return (
    <Switch>
      <Route path={paths.admin.login}>
        <Login />
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
                <Route path={paths.admin.dashboard}>
                  <Dashboard onSignedOut={leave} />
                </Route>
                {pages.map(([path, Page]) => (
                  <Route key={path} path={path}>
                    <Page />
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
