import { Suspense, useEffect, useState, type ReactNode } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Staff } from "../../api/client";
import { whenIdle } from "../../lib/idle";
import { lazyPage } from "../../lib/lazy-page";
import { Redirect, usePathname, useSearch } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { mustSetUpTwoFactor, onSignInRequired, staffQuery } from "../shared/session";

const signInDialog = lazyPage(() => import("./sign-in-dialog"));

type Props = { children: (staff: Staff, leave: () => void) => ReactNode };

/**
 * Shows the staff area to signed-in staff. The server checks every call on its own. When a session ends, the sign-in
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

  // Loads the dialog in advance, so that it is there when the session ends.
  useEffect(() => whenIdle(() => void signInDialog.fetch().catch(() => undefined)), []);

  if (welcome && inside !== staff) setInside(staff);
  if (inside && staff && !welcome && !enrolling) setEnrolling(true);

  // Waits until the session is gone, because the sign-in page would redirect straight back.
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
      {(enrolling || (staff === null && !session.isPending)) && (
        <Suspense>
          <signInDialog.Page
            username={inside.username}
            enrolling={enrolling}
            onEnrolled={() => setEnrolling(false)}
            onLeave={() => setLeft(true)}
          />
        </Suspense>
      )}
    </>
  );
}

const GuardSkeleton = () => (
  <Loading label="Opening the staff area" className="wrap grid min-h-dvh content-start gap-5 pt-8">
    <Skeleton className="h-10 w-64 max-w-full" />
    <Skeleton className="h-64 w-full" />
  </Loading>
);
