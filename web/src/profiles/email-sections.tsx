import type { ReactNode } from "react";
import { useSession, useSite } from "../api/queries";
import { useAction } from "../api/use-action";
import type { Profile, ProfilePatch } from "../api/client";
import { explain } from "../lib/forms";
import { hourLabel } from "../lib/hour-label";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { cx } from "../ui/class-names";
import { Switch } from "../ui/field";
import { Section } from "../ui/section";
import { errorToast, toast } from "../ui/toast";
import { askSecondEmailAgain, categories, isPaused } from "./queries";
import type { ProfileForm } from "./use-profile-form";

/** The addresses of the family. */
export function EmailSettings({
  form: { saved },
  email,
  verified,
  resend,
  onChangeEmail,
}: {
  form: ProfileForm;
  email: string;
  verified: boolean;
  resend: ReactNode;
  onChangeEmail: () => void;
}) {
  const outsider = useOutsider();
  return (
    <Section id="email-settings" title="Email Settings">
      <ul>
        <Address
          email={email}
          note={outsider ? "You sign in with it." : "You sign in with it and get emails from camp there."}
          badge={
            saved.suppressed ? (
              <Badge tone="bad" icon="alert">
                Emails bounce
              </Badge>
            ) : verified ? (
              <Badge tone="good" icon="check">
                Confirmed
              </Badge>
            ) : (
              <Badge tone="due" icon="clock">
                Waiting for confirmation
              </Badge>
            )
          }
        >
          {!verified && resend}
          <Button look="quiet" onClick={onChangeEmail}>
            Change
          </Button>
        </Address>
        {[saved.email, saved.secondary_email]
          .filter((other): other is string => Boolean(other) && other !== email)
          .map((other) => {
            const secondary = other === saved.secondary_email;
            const bounces = saved.other_addresses.some((one) => one.email === other && one.suppressed);
            return (
              <Address
                key={other}
                email={other}
                note={secondary ? "The second address of your family." : "The first address of your family."}
                badge={
                  bounces ? (
                    <Badge tone="bad" icon="alert">
                      Emails bounce
                    </Badge>
                  ) : (
                    secondary &&
                    (saved.secondary_email_verified ? (
                      <Badge tone="good" icon="check">
                        Confirmed
                      </Badge>
                    ) : (
                      <Badge tone="due" icon="clock">
                        Waiting for confirmation
                      </Badge>
                    ))
                  )
                }
              >
                {secondary && !saved.secondary_email_verified && <AskAgain email={other} />}
              </Address>
            );
          })}
      </ul>
      {saved.suppressed && <Bounced email={email} saved={saved} />}
    </Section>
  );
}

/** Why emails bounce, as far as the address's owner can do something about it. */
const bounceCauses: Partial<Record<NonNullable<Profile["suppressed_cause"]>, string>> = {
  no_such_address: "The mail server says that the address does not exist.",
  no_such_domain: "The part after the @ does not exist.",
  disabled: "The mail server says that the mailbox was closed.",
  mailbox_full: "The mailbox is full.",
  unreachable: "Its mail server could not be reached for several days.",
  forwarding: "The mailbox forwards to an address that does not work.",
};

/** Tells the owner of an address that gets no emails why that is, and what to do. */
function Bounced({ email, saved }: { email: string; saved: Profile }) {
  const cause = saved.suppressed_cause && bounceCauses[saved.suppressed_cause];
  const working = saved.other_addresses.filter(({ confirmed, suppressed }) => confirmed && !suppressed);
  return (
    <div className="mt-3 grid gap-2 rounded-md bg-clay-wash px-4 py-3 text-clay">
      <p>
        Emails to <bdi>{email}</bdi> bounced, so we stopped sending them. {cause && `${cause} `}Please change the
        address, or tell the office when it works again.
      </p>
      {working.map((other) => (
        <p key={other.email} className="wrap-anywhere">
          Until then, your family gets emails from camp at <bdi>{other.email}</bdi> only.
        </p>
      ))}
    </div>
  );
}

/** Sends the confirmation for the second address again. */
function AskAgain({ email }: { email: string }) {
  const ask = useAction({
    mutationFn: askSecondEmailAgain,
    onSuccess: () => toast({ title: "Confirmation sent", description: `We emailed ${email} again.` }),
    onError: (error) => errorToast(explain(error)),
  });
  return (
    <Button look="quiet" busy={ask.isPending} disabled={ask.isSuccess} onClick={() => ask.mutate()}>
      {ask.isSuccess ? "Sent" : "Send it again"}
      <span className="sr-only"> to {email}</span>
    </Button>
  );
}

const Address = ({
  email,
  note,
  badge,
  children,
}: {
  email: string;
  note: string;
  badge: ReactNode;
  children?: ReactNode;
}) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line py-3 first:pt-0 not-first:border-t">
    <span className="min-w-0 flex-1 basis-56">
      <span className="block font-medium wrap-anywhere">
        <bdi>{email}</bdi>
      </span>
      <span className="text-sm text-muted">{note}</span>
    </span>
    {badge}
    {children && <span className="flex flex-wrap max-sm:-ms-2.5">{children}</span>}
  </li>
);

/** The preferences of the family's other addresses. */
function OtherAddresses({ of }: { of: Profile["other_addresses"] }) {
  return of.map((other) => {
    const gets = categories.filter(({ key }) => other[key]).map(({ label }) => label.toLowerCase());
    return (
      <p key={other.email} className="mt-3 text-sm text-muted wrap-anywhere">
        <bdi className="font-medium text-ink">{other.email}</bdi>{" "}
        {!other.confirmed
          ? "gets no emails until it is confirmed."
          : `gets ${gets.length > 0 ? new Intl.ListFormat("en-US").format(gets) : "none of these emails"}. Its owner can change that after signing in, or with the link at the bottom of each email.`}
      </p>
    );
  });
}

/** Whether the camp emails only families, and this person does not belong to one. */
function useOutsider() {
  const site = useSite();
  const { user } = useSession();
  return site?.access === "families" && user?.family === false && !user.awaiting_approval;
}

const paused = "The camp is not sending these right now";

export function EmailPreferences({ form, email }: { form: ProfileForm; email: string }) {
  const { address_in_family, other_addresses } = form.saved;
  const outside = !address_in_family && other_addresses.length > 0;
  const outsider = useOutsider();
  const gets = !outside && !outsider;
  return (
    <Section id="email-preferences" title="Email Preferences">
      <form
        id="settings-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.saveAll();
        }}
      >
        {outsider ? (
          <p className="mb-1">The camp sends these emails to camp families only.</p>
        ) : outside ? (
          <p className="wrap-anywhere">
            These emails go only to your family’s addresses. Yours, <bdi>{email}</bdi>, is not one of them. Ask the
            office to add it.
          </p>
        ) : (
          other_addresses.length > 0 && (
            <p className="mb-1 wrap-anywhere">
              These switches are for emails to <bdi className="font-medium">{email}</bdi>. Your family’s other address
              has its own.
            </p>
          )
        )}
        {gets &&
          categories.map((one) => (
            <Switch
              key={one.key}
              name={one.key}
              label={one.label}
              hint={isPaused(form.saved, one) ? paused : one.hint}
              checked={form.now[one.key]}
              onChange={({ target }) => form.change({ [one.key]: target.checked } as ProfilePatch)}
              className="border-b border-line py-3"
            />
          ))}
        {gets && form.now.late_video_note !== null && (
          <Switch
            name="late_video_note"
            label="When tonight’s video is late"
            hint="A note to all addresses of your family that get the daily videos"
            checked={form.now.late_video_note === true}
            onChange={({ target }) => form.change({ late_video_note: target.checked })}
            className="border-b border-line py-3"
          />
        )}
        {gets && (
          <Switch
            name="daily_digest"
            label="All in one email a day"
            hint={`Videos, updates and newsletters together at ${hourLabel(form.now.digest_hour)} camp time, to all addresses of your family. Urgent updates still come at once.`}
            checked={form.now.daily_digest}
            onChange={({ target }) => form.change({ daily_digest: target.checked })}
            className="border-b border-line py-3"
          />
        )}
        <OtherAddresses of={other_addresses} />
        <p className="mt-3 text-sm text-muted">
          You always get receipts, payment reminders, replies to your messages and emails about your account.
        </p>
      </form>
    </Section>
  );
}

/** Saves all sections of the page. It stays in view while something is not saved. */
export const SaveBar = ({ form }: { form: ProfileForm }) => (
  <div
    className={cx(
      "flex flex-wrap items-center gap-x-4 gap-y-2",
      form.changed && "sheet sticky top-20 bottom-3 z-10 p-3 shadow-high",
    )}
  >
    <Button
      type="submit"
      form="settings-form"
      busy={form.busy}
      // The second click of a double click would save again what the first one has just saved.
      onClick={(event) => event.detail > 1 && event.preventDefault()}
    >
      {form.busy ? "Saving..." : "Save All Changes"}
    </Button>
    {form.changed && <span className="text-sm text-muted">Not saved yet</span>}
  </div>
);
