import { useState } from "react";
import { explain } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { focusOnMount } from "../../ui/focus";

/** Shown when somebody else saved the record first. Nothing is overwritten, and nothing typed is lost. */
export function StaleNotice({ what, onReload }: { what: string; onReload: () => Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  return (
    <div role="alert" className="grid gap-3 rounded-md bg-due-wash px-3.5 py-3 text-due">
      <p className="flex items-start gap-2">
        <Icon name="alert" className="mt-[0.15em]" />
        Someone else changed this {what} while you were editing. Nothing was saved yet. Reload it: what you typed stays.
      </p>
      {failure && <p className="text-sm">{failure}</p>}
      <Button
        look="line"
        icon="refresh"
        ref={focusOnMount}
        busy={busy}
        className="justify-self-start"
        onClick={async () => {
          setBusy(true);
          setFailure(null);
          await onReload().catch((error: unknown) => setFailure(explain(error)));
          setBusy(false);
        }}
      >
        Reload and keep what I typed
      </Button>
    </div>
  );
}
