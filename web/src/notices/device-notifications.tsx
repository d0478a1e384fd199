import { lazy, Suspense, useState } from "react";
import { useMayWatch } from "../api/may-watch";
import { useSite } from "../api/queries";
import { Button } from "../ui/button";
import { Skeleton } from "../ui/states";
import { notificationsEnabled } from "./enabled";

const DeviceSwitch = lazy(() => import("./device-switch"));

/**
 * Opens the switch for notifications on this device. Its code loads only when it is opened, or if notifications are on.
 */
export function DeviceNotifications() {
  const offered = useSite()?.push_enabled;
  const may = useMayWatch();
  const [on] = useState(notificationsEnabled);
  const [opened, setOpened] = useState(false);
  if (!offered || !may) return null;
  return (
    <div className="border-t border-pine/25 pt-2">
      {on || opened ? (
        <Suspense fallback={<Skeleton className="h-11" />}>
          <DeviceSwitch focusOnMount={opened} />
        </Suspense>
      ) : (
        <Button look="quiet" icon="phone" className="-ms-2.5 text-[min(1rem,8vw)]" onClick={() => setOpened(true)}>
          Notifications on this device
        </Button>
      )}
    </div>
  );
}
