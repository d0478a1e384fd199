import { lazy } from "react";
import { Navigate, Route, Routes } from "react-router";
import { Guard } from "../admin/sign-in/guard";
import { Login } from "../admin/sign-in/login";
import { AdminNotFound } from "../admin/not-found/not-found";
import { firstPage } from "../admin/shared/session";
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

/** The routes of the staff area. */
export default function Admin() {
  return (
    <Routes>
      <Route path="login" element={<Login />} />
      <Route element={<Guard>{(staff, leave) => <AdminLayout staff={staff} onSignedOut={leave} />}</Guard>}>
        <Route index element={<Navigate to={firstPage} replace />} />
        <Route path="dashboard" element={<Dashboard />} />
        <Route path="reports" element={<Reports />} />
        <Route path="gallery" element={<Gallery />} />
        <Route path="comments" element={<Comments />} />
        <Route path="live-updates" element={<Updates />} />
        <Route path="messages" element={<Messages />} />
        <Route path="mail" element={<Mail />} />
        <Route path="faq" element={<FaqManagement />} />
        <Route path="store" element={<StoreManagement />} />
        <Route path="users" element={<Users />} />
        <Route path="admin-management" element={<Accounts />} />
        <Route path="account" element={<OwnAccount />} />
        <Route path="analytics" element={<Analytics />} />
        <Route path="audit" element={<Audit />} />
        <Route path="settings" element={<Settings />} />
        <Route path="*" element={<AdminNotFound />} />
      </Route>
      <Route element={<Guard>{() => <PrintLayout />}</Guard>}>
        <Route path="users/:id/statement" element={<Statement />} />
        <Route path="users/:id/receipt/:paymentId" element={<Receipt />} />
      </Route>
    </Routes>
  );
}
