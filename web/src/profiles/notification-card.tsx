import { lazy, Suspense, useRef, useState, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { Profile, SessionUser } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { Button, buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { Skeleton } from "../ui/states";
import { categories, isPaused, profileQuery } from "./queries";

const NotificationForm = lazy(() => import("./notification-form"));

/** "Notifications" fits on one line of the narrowest phone, even with letters twice as large. */
const wholeWords = "text-[min(1rem,8.5vw)]";

/**
 * The family's email preferences on the home page, or a sign-up for visitors. Below them, the notifications of this
 * device.
 */
export function NotificationCard({ device }: { device: ReactNode }) {
  const { user, pending } = useSession();
  return (
    <aside
      aria-labelledby="notifications"
      className={cx(
        "grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg bg-pine-wash p-[min(1.25rem,6vw)] wrap-anywhere sm:p-6 lg:sticky lg:top-22",
        pending && "invisible",
      )}
    >
      <div className="flex items-start justify-between gap-3">
        <h2 id="notifications" className="min-w-0 text-xl">
          Know when tonight’s video is up
        </h2>
        <Icon name="bell" className="size-6 text-pine" />
      </div>
      {user ? <Own {...user} /> : <Invitation />}
      {device}
    </aside>
  );
}

function Invitation() {
  const closed = useSite()?.registrations_open === false;
  if (closed)
    return (
      <>
        <p>New videos, updates and newsletters by email, for people with an account.</p>
        <Link to={paths.auth()} className={buttonLook("main", wholeWords)}>
          Sign In
        </Link>
      </>
    );
  return (
    <>
      <p>New videos, updates and newsletters by email. You choose which.</p>
      <Link to={paths.signUp()} className={buttonLook("main", wholeWords)}>
        Sign Up for Notifications
      </Link>
      <p className="text-sm">
        Already have an account?{" "}
        <Link to={paths.auth()} className="link -my-3 inline-flex min-h-tap items-center">
          Sign in here
        </Link>
      </p>
    </>
  );
}

function Own({ email, email_verified, awaiting_approval, family }: SessionUser) {
  const profile = useQuery(profileQuery).data;
  const access = useSite()?.access;
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  function close() {
    setEditing(false);
    requestAnimationFrame(() => button.current?.focus());
  }

  if (editing) {
    return (
      <Suspense fallback={<Rows preferences={null} />}>
        <NotificationForm onClose={close} />
      </Suspense>
    );
  }
  const others = profile?.other_addresses ?? [];
  if (profile && !profile.address_in_family && others.length > 0)
    return (
      <p className="wrap-anywhere">
        We email your family at <Addresses of={others} />.
      </p>
    );
  const nothing = profile && !categories.some(({ key }) => profile[key]);
  const paused = profile && categories.every((one) => !profile[one.key] || isPaused(profile, one));
  return (
    <>
      <p className="wrap-anywhere">
        {profile?.suppressed ? (
          <>
            Emails to <bdi>{email}</bdi> bounced, so we stopped sending them.
          </>
        ) : access === "families" && !family && !awaiting_approval ? (
          "The camp emails camp families only. If you are one, please write to the camp."
        ) : !email_verified ? (
          <>
            We’ll email <bdi>{email}</bdi> once you confirm it.
          </>
        ) : awaiting_approval ? (
          <>
            We’ll email <bdi>{email}</bdi> once the camp approves your family.
          </>
        ) : nothing ? (
          <>
            You turned off all emails to <bdi>{email}</bdi>.
          </>
        ) : paused ? (
          "The camp is not sending these emails right now."
        ) : (
          <>
            We email you at <bdi>{email}</bdi> when there is something new.
          </>
        )}
      </p>
      {profile && <Rows preferences={profile} />}
      <Button ref={button} className={wholeWords} onClick={() => setEditing(true)}>
        Customize Notifications
      </Button>
    </>
  );
}

const Addresses = ({ of }: { of: { email: string }[] }) =>
  of.map(({ email }, i) => (
    <span key={email}>
      {i > 0 && " and "}
      <bdi>{email}</bdi>
    </span>
  ));

const Rows = ({ preferences }: { preferences: Profile | null }) => (
  <dl className="mb-1 text-[0.95rem]">
    {categories.map((one) => {
      const state = preferences && stateOf(preferences, one);
      return (
        <div key={one.key} className="flex justify-between gap-3 border-b border-pine/25 py-2">
          <dt>{one.label}</dt>
          <dd className={cx("shrink-0", state === "On" ? "font-medium" : "text-muted")}>
            {state ?? <Skeleton className="h-6 w-10" />}
          </dd>
        </div>
      );
    })}
  </dl>
);

function stateOf(preferences: Profile, one: (typeof categories)[number]) {
  if (!preferences[one.key]) return "Off";
  return isPaused(preferences, one) ? "Paused by the camp" : "On";
}
