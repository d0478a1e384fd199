import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { Link, Redirect } from "../../lib/navigation";
import { useSearchParams } from "../../lib/address";
import { PageMeta } from "../../lib/page";
import { paths } from "../../lib/paths";
import { Loading, Skeleton } from "../../ui/states";
import { mustSetUpTwoFactor, staffNext, staffQuery } from "../shared/session";
import { SignInForm } from "./sign-in-form";
import { TwoFactorSetup } from "../shared/two-factor";

/** The sign-in page of the staff area. If somebody is already signed in, it redirects to the next page. */
export default function Login() {
  const site = useSite();
  const session = useQuery(staffQuery);
  const [params] = useSearchParams();
  const [enrolling, setEnrolling] = useState(false);
  const staff = session.data?.staff;

  // Stays until the recovery codes were shown, even if the session is complete earlier.
  if (staff && mustSetUpTwoFactor(staff) && !enrolling) setEnrolling(true);
  if (staff && !mustSetUpTwoFactor(staff) && !enrolling) return <Redirect to={staffNext(params.get("next"))} replace />;

  const sentHere = params.has("next");
  return (
    <main id="main" tabIndex={-1} className="wrap grid flex-1 content-start justify-items-center pt-8 pb-12 md:pt-14">
      <PageMeta title="Staff Login" description="Sign in to the staff area." />
      <div className="sheet grid w-full max-w-[27.5rem] gap-5 p-5 shadow-low sm:p-8">
        <div>
          <p className="text-sm text-muted">{site?.site_name}</p>
          <h1 className="text-2xl">{enrolling ? "Set up two-factor" : "Staff Login"}</h1>
        </div>
        {session.isPending ? (
          <Loading label="Loading" className="grid gap-5">
            {Array.from({ length: 3 }, (_, i) => (
              <Skeleton key={i} className="h-11" />
            ))}
          </Loading>
        ) : enrolling ? (
          <TwoFactorSetup onDone={() => setEnrolling(false)} />
        ) : (
          <>
            {sentHere && (
              <p className="rounded-md bg-lake-wash px-3.5 py-3 text-lake">Please sign in to see that page.</p>
            )}
            <SignInForm />
            <p className="border-t border-line pt-3 text-sm text-muted">
              Forgot your password? Whoever runs the site can give you a new one.
            </p>
          </>
        )}
      </div>
      <Link to={paths.home} className="link mt-4 inline-flex min-h-tap items-center text-sm">
        Back to the site
      </Link>
    </main>
  );
}
