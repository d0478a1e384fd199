import { lazy } from "react";
import { Route, Routes } from "react-router";
import { PublicLayout } from "./public-layout";

const Home = lazy(() => import("./home"));
const CurrentVideos = lazy(() => import("../videos/current-videos"));
const PastVideos = lazy(() => import("../videos/past-videos"));
const Watch = lazy(() => import("./watch"));
const About = lazy(() => import("../about/about"));
const Faq = lazy(() => import("../faq/faq"));
const Contact = lazy(() => import("../messages/contact"));
const Store = lazy(() => import("../store/store"));
const Privacy = lazy(() => import("../legal/privacy"));
const TermsOfService = lazy(() => import("../legal/terms"));
const ConfirmSubscription = lazy(() => import("../subscribers/confirm"));
const Auth = lazy(() => import("../accounts/auth"));
const Verify = lazy(() => import("../accounts/verify"));
const Forgot = lazy(() => import("../accounts/forgot"));
const Reset = lazy(() => import("../accounts/reset"));
const Unsubscribe = lazy(() => import("../accounts/unsubscribe"));
const Updates = lazy(() => import("../updates/updates-page"));
const Update = lazy(() => import("../updates/update-page"));
const Profile = lazy(() => import("./profile"));
const NotFound = lazy(() => import("./not-found"));
const Admin = lazy(() => import("./admin"));

/** The whole sitemap. The staff area has its own, in admin.tsx, so that none of it reaches a parent's phone. */
export function Sitemap() {
  return (
    <Routes>
      <Route element={<PublicLayout />}>
        <Route index element={<Home />} />
        <Route path="current-videos" element={<CurrentVideos />} />
        <Route path="past-videos" element={<PastVideos />} />
        <Route path="video/:id" element={<Watch />} />
        <Route path="about" element={<About />} />
        <Route path="faq" element={<Faq />} />
        <Route path="contact" element={<Contact />} />
        <Route path="store" element={<Store />} />
        <Route path="privacy" element={<Privacy />} />
        <Route path="terms" element={<TermsOfService />} />
        <Route path="subscribe/confirm" element={<ConfirmSubscription />} />
        <Route path="auth" element={<Auth />} />
        <Route path="auth/verify" element={<Verify />} />
        <Route path="auth/forgot" element={<Forgot />} />
        <Route path="auth/reset" element={<Reset />} />
        <Route path="updates" element={<Updates />} />
        <Route path="updates/:id" element={<Update />} />
        <Route path="profile" element={<Profile />} />
        <Route path="unsubscribe" element={<Unsubscribe />} />
        <Route path="*" element={<NotFound />} />
      </Route>
      <Route path="admin/*" element={<Admin />} />
    </Routes>
  );
}
