import { lazy, Suspense } from "react";
import { useWelcome } from "../accounts/use-welcome";
import { DeviceNotifications } from "../notices/device-notifications";
import { NotificationCard } from "../profiles/notification-card";
import { NewestUpdates } from "../updates/newest-updates";
import "../ui/more-icons";

const Welcome = lazy(() => import("../accounts/welcome"));

/** The newest updates, and the card for email notifications. */
export default function News() {
  const welcome = useWelcome();
  return (
    <div className="wrap grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-8 pt-section lg:grid-cols-[minmax(0,1fr)_var(--container-aside)]">
      <NewestUpdates />
      <NotificationCard device={<DeviceNotifications />} />
      {welcome.open && (
        <Suspense>
          <Welcome onClose={welcome.close} />
        </Suspense>
      )}
    </div>
  );
}
