import { useEffect, useState, type ReactNode } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Staff } from "../../api/client";
import { Redirect, usePathname, useSearch } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Button } from "../../ui/button";
import { escapeAsks, useModal } from "../../ui/dialog";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { mustSetUpTwoFactor, onSignInRequired, staffQuery } from "../shared/session";
import { SignInForm } from "./sign-in-form";
import { TwoFactorSetup } from "../shared/two-factor";

type Props = { children: (staff: Staff, leave: () => void) => ReactNode };

/**
 * Shows the staff area to signed-in staff; the server checks every call by itself. When a session ends, the sign-in
 * dialog opens above the page, which keeps everything that was typed.
 */
export function Guard({ children }: Props) {
  const client = useQueryClient();
  const session = useQuery(staffQuery);
  const pathname = usePathname();
  const search = useSearch();
  const [inside, setInside] = useState<Staff | null>(null);
  const [left, setLeft] = useState(false);
  const [enrolling, setEnrolling] = useState(false);
  const staff = session.data?.staff ?? null;
  const welcome = staff !== null && !mustSetUpTwoFactor(staff);

  useEffect(() => onSignInRequired(() => void client.invalidateQueries({ queryKey: staffQuery.queryKey })), [client]);

  if (welcome && inside !== staff) setInside(staff);
  if (inside && staff && !welcome && !enrolling) setEnrolling(true);

  // Waits until the session is gone: the sign-in page would lead straight back.
  if (left) return welcome ? <GuardSkeleton /> : <Redirect to={staffPaths.login} replace />;
  if (!inside) {
    if (session.isPending || welcome) return <GuardSkeleton />;
    if (session.isError) {
      return (
        <main className="wrap py-section">
          <ErrorState
            title="The staff area could not be opened"
            error={session.error}
            retrying={session.isFetching}
            onRetry={session.refetch}
          />
        </main>
      );
    }
    return <Redirect to={staffPaths.loginFor(pathname + search)} replace />;
  }
  return (
    <>
      {children(inside, () => setLeft(true))}
      {enrolling ? (
        <SignInDialog title="Set up two-factor" onLeave={() => setLeft(true)}>
          <TwoFactorSetup onDone={() => setEnrolling(false)} />
        </SignInDialog>
      ) : (
        staff === null &&
        !session.isPending && (
          <SignInDialog title="Please sign in again" onLeave={() => setLeft(true)}>
            <p className="mb-4 text-muted">Your session ended. Everything on the page is still as you left it.</p>
            <SignInForm username={inside.username} />
          </SignInDialog>
        )
      )}
    </>
  );
}

/** Cannot be closed before signing in, neither by Escape nor by the backdrop. */
function SignInDialog({ title, onLeave, children }: { title: string; onLeave: () => void; children: ReactNode }) {
  const ref = useModal();
  return (
    <dialog
      ref={ref}
      aria-label={title}
      onKeyDown={(event) => escapeAsks(event, () => undefined)}
      onCancel={(event) => event.preventDefault()}
      onClose={() => ref.current?.isConnected && !ref.current.open && ref.current.showModal()}
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

const GuardSkeleton = () => (
  <Loading label="Opening the staff area" className="wrap grid min-h-dvh content-start gap-5 pt-8">
    <Skeleton className="h-10 w-64 max-w-full" />
    <Skeleton className="h-64 w-full" />
  </Loading>
);
