import { lazy, Suspense, useEffect, useState } from "react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { AccountSection, EmailDialog, Sessions } from "../accounts/security";
import { useResend } from "../accounts/use-resend";
import type { Profile as Family, SessionUser } from "../api/client";
import { useMayWatch } from "../api/may-watch";
import { sessionQuery, useSession, useSite } from "../api/queries";
import { LoadMore } from "../lib/load-more";
import { Link, Redirect } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { useAnchor } from "../lib/anchor";
import { paths } from "../lib/paths";
import { PaymentInformation } from "../payments/payment-information";
import { EmailPreferences, EmailSettings, SaveBar } from "../profiles/email-sections";
import { PersonalInformation } from "../profiles/personal-information";
import { favoritesQuery, profileQuery } from "../profiles/queries";
import { useProfileForm } from "../profiles/use-profile-form";
import { Button, buttonLook } from "../ui/button";
import { cx } from "../ui/class-names";
import { Icon } from "../ui/icon";
import { Section } from "../ui/section";
import { EmptyState, ErrorState, Loading, Skeleton } from "../ui/states";
import { VideoCard } from "../videos/video-card";
import { resetSignedOutByChoice, signedOutByChoice, useSignedOut, useSignOut } from "./use-sign-out";
import "../ui/more-icons";

const DeviceSwitch = lazy(() => import("../notices/device-switch"));

/** The profile page: family, login, payments and favorites. */
export default function Profile() {
  const { user, pending } = useSession();
  const signOut = useSignOut("Failed to sign out. Please try again.");
  const session = useQuery(sessionQuery);
  const profile = useQuery({ ...profileQuery, enabled: user !== null });
  const asked = user ? profile : session;

  useEffect(() => resetSignedOutByChoice, []);

  // Signing out leads to the home page. Opening this page without a session leads to the sign-in page.
  if (!pending && !user) return <Redirect to={signedOutByChoice() ? paths.home : paths.auth(paths.profile)} replace />;
  return (
    <div
      id="profile"
      className="wrap grid grid-cols-[minmax(0,1fr)] gap-x-12 gap-y-4 pt-4 lg:grid-cols-[212px_minmax(0,1fr)] lg:pt-8"
    >
      <PageMeta title="Profile" description="Your family, your payments and your emails from camp." />
      <Contents />
      <div className="min-w-0">
        <div className="mb-5 flex flex-wrap items-center justify-between gap-3">
          <h1>Your profile</h1>
          <Button look="line" icon="signOut" busy={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign Out
          </Button>
        </div>
        {user && profile.data ? (
          <Sections user={user} profile={profile.data} />
        ) : asked.isError ? (
          <ErrorState
            title="Failed to load profile data."
            error={asked.error}
            retrying={asked.isFetching}
            onRetry={asked.refetch}
          />
        ) : (
          <ProfileSkeleton />
        )}
      </div>
    </div>
  );
}

const contents = [
  ["personal", "Personal Information"],
  ["payments", "Payment Information"],
  ["favorites", "Favorites"],
  ["email-settings", "Email Settings"],
  ["email-preferences", "Email Preferences"],
  ["device", "On this device"],
  ["sessions", "Where you are signed in"],
  ["account", "Your account"],
] as const;

function Contents() {
  const device = useDeviceOffered();
  const at = useSectionInSight();
  return (
    <nav
      aria-label="On this page"
      className="flex gap-0.5 max-lg:-mx-gutter max-lg:overflow-x-auto max-lg:px-gutter max-lg:[scrollbar-width:none] lg:sticky lg:top-24 lg:grid lg:self-start"
    >
      {contents
        .filter(([id]) => device || id !== "device")
        .map(([id, label]) => (
          <a
            key={id}
            href={`#${id}`}
            aria-current={id === at ? "location" : undefined}
            className={cx(
              "flex min-h-tap items-center border-transparent px-3 text-[0.95rem] whitespace-nowrap text-ink no-underline hover:bg-sunk focus-visible:-outline-offset-3 max-lg:rounded-t-sm max-lg:border-b-3 lg:rounded-sm lg:border-s-3",
              id === at && "border-amber! bg-pine-wash font-medium text-pine",
            )}
          >
            {label}
          </a>
        ))}
    </nav>
  );
}

/** The section that is currently scrolled into view. */
function useSectionInSight() {
  const [at, setAt] = useState<string>(contents[0][0]);
  useEffect(() => {
    function look() {
      const passed = contents.filter(
        ([id]) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < innerHeight / 3,
      );
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
      setAt((end && passed.length > 1 ? contents : passed).at(-1)?.[0] ?? contents[0][0]);
    }
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  return at;
}

function Sections({ user, profile }: { user: SessionUser; profile: Family }) {
  useAnchor();
  const form = useProfileForm(profile, user.id);
  const signedOut = useSignedOut();
  const [changingEmail, setChangingEmail] = useState(false);
  const changeEmail = () => setChangingEmail(true);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {user.awaiting_approval && (
        <p className="flex items-start gap-3 rounded-lg bg-lake-wash px-5 py-4 text-lake">
          <Icon name="clock" className="mt-1" />
          <span>
            The camp still needs to confirm your family for this summer. We’ll email you as soon as it does. Until then
            you can’t watch the videos.
          </span>
        </p>
      )}
      <PersonalInformation form={form} verified={user.email_verified} onChangeEmail={changeEmail} />
      <PaymentInformation />
      <Favorites />
      <EmailSettings
        form={form}
        email={user.email}
        verified={user.email_verified}
        resend={<Resend email={user.email} />}
        onChangeEmail={changeEmail}
      />
      <EmailPreferences form={form} email={user.email} />
      <SaveBar form={form} />
      <Device />
      <Sessions onSignedOut={signedOut} />
      <AccountSection onSignedOut={signedOut} />
      {changingEmail && <EmailDialog onClose={() => setChangingEmail(false)} />}
    </div>
  );
}

/** Whether the page offers device notifications. The camp can turn them off. */
const useDeviceOffered = () => [useMayWatch(), useSite()?.push_enabled].every(Boolean);

function Device() {
  if (!useDeviceOffered()) return null;
  return (
    <Section id="device" title="On this device">
      <Suspense fallback={<Skeleton className="h-11" />}>
        <DeviceSwitch />
      </Suspense>
    </Section>
  );
}

function Resend({ email }: { email: string }) {
  const resend = useResend(email);
  return (
    <Button look="quiet" busy={resend.isPending} disabled={resend.isSuccess} onClick={() => resend.mutate()}>
      {resend.isSuccess ? "Sent" : "Send the confirmation again"}
    </Button>
  );
}

/** How many favorites the page shows at first. */
const shownFavorites = 3;

function Favorites() {
  const [all, setAll] = useState(false);
  const videos = useInfiniteQuery(favoritesQuery);
  return (
    <Section id="favorites" title="Favorites">
      {videos.data ? (
        videos.data.length > 0 ? (
          <>
            <ul id="favorite-videos" className="grid gap-x-5 gap-y-7 md:grid-cols-3">
              {videos.data.slice(0, all ? undefined : shownFavorites).map((video) => (
                <li key={video.id}>
                  <VideoCard video={video} look="small" />
                </li>
              ))}
            </ul>
            {videos.data.length > shownFavorites && (
              <Button
                look="quiet"
                aria-expanded={all}
                aria-controls="favorite-videos"
                onClick={() => setAll(!all)}
                className="mt-4 -ms-2.5"
              >
                {all ? "Show Less" : "Show all favorites"}
              </Button>
            )}
            {all && <LoadMore label="Load more favorites" list={videos} />}
          </>
        ) : (
          <EmptyState
            title="No favorites yet"
            text="Tap the heart under a video to keep it here."
            picture="/art/placeholder.svg"
          >
            <Link to={paths.currentVideos} className={buttonLook("line")}>
              View All Current Videos
            </Link>
          </EmptyState>
        )
      ) : videos.isError ? (
        <ErrorState
          title="Your favorites could not be loaded"
          error={videos.error}
          retrying={videos.isFetching}
          onRetry={videos.refetch}
        />
      ) : (
        <Loading label="Loading your favorites" className="grid gap-5 sm:grid-cols-3">
          {Array.from({ length: 3 }, (_, i) => (
            <Skeleton key={i} className="aspect-video rounded-md" />
          ))}
        </Loading>
      )}
    </Section>
  );
}

const ProfileSkeleton = () => (
  <Loading label="Loading your profile" className="grid gap-6">
    <div className="sheet grid gap-5 p-6 sm:grid-cols-2">
      {Array.from({ length: 4 }, (_, i) => (
        <Skeleton key={i} className="h-11" />
      ))}
    </div>
    <Skeleton className="h-72 rounded-lg" />
  </Loading>
);
