import { Suspense, useEffect, type ComponentType } from "react";
import { whenIdle } from "../../lib/idle";
import { laterParts } from "../../lib/later";
import { errorToast } from "../../ui/toast";

/** Puts a page's dialogs into a separate file, so that the page can appear without them. */
export function laterDialogs<Dialogs extends object>(load: () => Promise<Dialogs>) {
  const { fetch, part } = laterParts<Dialogs | null>(() => load().catch(() => null));

  /** One of the dialogs. Nothing waits for it, and if it cannot be loaded, the page stays as it is. */
  function dialog<Props extends object>(pick: (dialogs: Dialogs) => ComponentType<Props>) {
    const Dialog = part<Props>((dialogs) => (dialogs ? pick(dialogs) : NotLoaded));
    return (props: Props) => (
      <Suspense>
        <Dialog {...props} />
      </Suspense>
    );
  }

  /** Loads the file once the page is on the screen, so that pressing a button is not delayed. */
  const useSoon = () => useEffect(() => whenIdle(() => void fetch()), []);

  return { dialog, useSoon };
}

function NotLoaded() {
  useEffect(() => errorToast("This could not be loaded. Please check your connection and reload the page."), []);
  return null;
}
