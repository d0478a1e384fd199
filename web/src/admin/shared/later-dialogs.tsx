import { Suspense, useEffect, type ComponentType } from "react";
import { whenIdle } from "../../lib/idle";
import { laterParts } from "../../lib/later";
import { errorToast } from "../../ui/toast";

/** The dialogs of a page in a file of their own, so that the page shows itself without them. */
export function laterDialogs<Dialogs extends object>(load: () => Promise<Dialogs>) {
  const { fetch, part } = laterParts<Dialogs | null>(() => load().catch(() => null));

  /** One of them. Nothing waits for it, and the page stays as it is if it cannot be loaded. */
  function dialog<Props extends object>(pick: (dialogs: Dialogs) => ComponentType<Props>) {
    const Dialog = part<Props>((dialogs) => (dialogs ? pick(dialogs) : NotLoaded));
    return (props: Props) => (
      <Suspense>
        <Dialog {...props} />
      </Suspense>
    );
  }

  /** Loads the file once the page is on the screen, so that a press waits for nothing. */
  const useSoon = () => useEffect(() => whenIdle(() => void fetch()), []);

  return { dialog, useSoon };
}

function NotLoaded() {
  useEffect(() => errorToast("This could not be loaded. Please check your connection and reload the page."), []);
  return null;
}
