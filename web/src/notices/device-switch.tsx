import { useState, useSyncExternalStore } from "react";
import { useSite } from "../api/queries";
import { paths } from "../lib/paths";
import { Button } from "../ui/button";
import { Icon } from "../ui/icon";
import { Switch } from "../ui/field";
import { splitScripts } from "../ui/two-scripts";
import { obstacle, onPermission, permitted, showNotification, switchOff, switchOn, type Obstacle } from "./device";
import { onEnabledChange, notificationsEnabled } from "./enabled";

const words: Record<Obstacle, string> = {
  blocked:
    "This browser blocks notifications from the camp. Allow them in the site settings (the icon next to the address, or your phone’s app settings), then come back to this page.",
  "home screen":
    "On an iPhone or iPad this works only from the home screen: tap Share, then Add to Home Screen. Open the site from its icon and turn it on there.",
  insecure: "Browsers show notifications only on secure sites (https).",
  unable: "This browser can’t show notifications. Another one on this device may.",
};

const listen = (changed: () => void) => {
  const [first, second] = [onEnabledChange(changed), onPermission(changed)];
  return () => {
    first();
    second();
  };
};

/** Turns notifications on this device on and off, and explains when it cannot. */
export default function DeviceSwitch({ focusOnMount = false }: { focusOnMount?: boolean }) {
  const on = useSyncExternalStore(listen, () => notificationsEnabled() && permitted());
  const hurdle = useSyncExternalStore(listen, obstacle);
  const [campName] = splitScripts(useSite()?.site_name ?? "");
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  // Takes the focus once, because the button that opened this is gone.
  const [focused] = useState(() => (focusOnMount ? (input: HTMLInputElement | null) => input?.focus() : undefined));

  async function change(wanted: boolean) {
    if (!wanted) await switchOff();
    else if ((await switchOn()) === "unanswered")
      setTrouble("You didn’t answer the browser’s question. Turn it on again, then choose Allow.");
  }

  const showExample = () =>
    showNotification({
      id: "example",
      title: campName,
      body: "This is how a notification from camp looks. If you see nothing, check your device’s notification settings.",
      path: paths.home,
    });

  async function attempt(something: () => Promise<void>) {
    if (busy) return;
    setBusy(true);
    setTrouble("");
    try {
      await something();
    } catch {
      setTrouble("The browser couldn’t turn this on. It never works in a private window. Otherwise, please try again.");
    } finally {
      setBusy(false);
    }
  }

  const said = hurdle ? words[hurdle] : trouble;
  return (
    <div>
      <Switch
        label="Show notifications on this device"
        hint="For new videos and updates, while this site is open in your browser, even in the background."
        checked={on}
        disabled={hurdle !== null}
        aria-busy={busy || undefined}
        ref={focused}
        onChange={({ target }) => void attempt(() => change(target.checked))}
        className="py-2"
      />
      {on && (
        <Button look="quiet" icon="bell" className="-ms-2.5" onClick={() => void attempt(showExample)}>
          Show an example
        </Button>
      )}
      <div role="status">
        {said && (
          <p className="mt-1 flex items-start gap-2 rounded-md bg-lake-wash px-3.5 py-2.5 text-sm text-lake">
            <Icon name="info" className="mt-[0.15em]" />
            <span className="min-w-0 wrap-anywhere">{said}</span>
          </p>
        )}
      </div>
    </div>
  );
}
