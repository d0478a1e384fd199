import type { ReactNode } from "react";
import { Button } from "../../ui/button";
import { useModal } from "../../ui/dialog";
import { TwoFactorSetup } from "../shared/two-factor";
import { SignInForm } from "./sign-in-form";

type Props = { username: string; enrolling: boolean; onEnrolled: () => void; onLeave: () => void };

/** Opens above a page whose session has ended, or whose user must set up a second factor. */
export default function SignInDialog({ username, enrolling, onEnrolled, onLeave }: Props) {
  return enrolling ? (
    <Dialog title="Set up two-factor" onLeave={onLeave}>
      <TwoFactorSetup onDone={onEnrolled} />
    </Dialog>
  ) : (
    <Dialog title="Please sign in again" onLeave={onLeave}>
      <p className="mb-4 text-muted">Your session ended. Everything on the page is still as you left it.</p>
      <SignInForm username={username} />
    </Dialog>
  );
}

/** A dialog that neither Escape nor the backdrop closes before the sign-in. */
function Dialog({ title, onLeave, children }: { title: string; onLeave: () => void; children: ReactNode }) {
  const modal = useModal(() => undefined);
  return (
    <dialog
      {...modal}
      aria-label={title}
      className="sheet m-auto max-h-[calc(100dvh-2rem)] w-[min(100%-2rem,27.5rem)] overflow-auto p-5 shadow-high sm:p-8"
    >
      <h2 className="mb-3">{title}</h2>
      {children}
      <Button look="quiet" onClick={onLeave} className="mt-3 w-full">
        Leave this page
      </Button>
    </dialog>
  );
}
