import { lazy } from "react";
import { Navigate, Route, Routes } from "react-router";
import { Guard } from "../admin/guard";
import { Login } from "../admin/login";
import { NoSuchPage } from "../admin/no-such-page";
import { firstPage } from "../admin/session";
import { AdminLayout } from "./admin-layout";
import "./admin.css";

const Reports = lazy(() => import("../admin/reports"));
const Gallery = lazy(() => import("../admin/gallery"));
const Accounts = lazy(() => import("../admin/accounts/accounts"));

/** The staff area's own sitemap. */
export default function Admin() {
  return (
    <Routes>
      <Route path="login" element={<Login />} />
      <Route element={<Guard>{(staff, leave) => <AdminLayout staff={staff} onSignedOut={leave} />}</Guard>}>
        <Route index element={<Navigate to={firstPage} replace />} />
        <Route path="reports" element={<Reports />} />
        <Route path="gallery" element={<Gallery />} />
        <Route path="admin-management" element={<Accounts />} />
        <Route path="*" element={<NoSuchPage />} />
      </Route>
    </Routes>
  );
}
