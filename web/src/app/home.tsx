import { lazy, Suspense } from "react";
import { useWelcome } from "../accounts/use-welcome";
import { NotificationCard } from "../profiles/notification-card";
import { LiveUpdates } from "../updates/live-updates";
import { HomeVideos } from "../videos/home";

const Welcome = lazy(() => import("../accounts/welcome"));

/** Tonight's video first, then what camp has to say, and how to hear of both. */
export default function Home() {
  const welcome = useWelcome();
  return (
    <>
      <HomeVideos />
      <div className="wrap grid items-start gap-x-12 gap-y-8 pt-section lg:grid-cols-[minmax(0,1fr)_var(--container-aside)]">
        <LiveUpdates />
        <NotificationCard />
      </div>
      {welcome.open && (
        <Suspense>
          <Welcome onClose={welcome.close} />
        </Suspense>
      )}
    </>
  );
}
