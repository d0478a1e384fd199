import { useSyncExternalStore } from "react";
import { Icon } from "../ui/icon";
import { Segmented } from "../ui/segmented";

type Theme = "system" | "light" | "dark";

const options = [
  {
    value: "system",
    label: (
      <>
        <Icon name="system" />
        <span className="sr-only">System</span>
      </>
    ),
  },
  {
    value: "light",
    label: (
      <>
        <Icon name="sun" />
        <span className="sr-only">Light</span>
      </>
    ),
  },
  {
    value: "dark",
    label: (
      <>
        <Icon name="moon" />
        <span className="sr-only">Dark</span>
      </>
    ),
  },
] as const;

const listeners = new Set<() => void>();

const current = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? "system";

function choose(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage, the choice lasts until the page closes.
  }
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** /start.js applies the stored choice before the first paint. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(subscribe, current, () => "system" as const);
  return <Segmented label="Theme" value={theme} options={options} onChange={choose} />;
}
