import { useInfiniteQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { useAction } from "../../api/use-action";
import { useFilters } from "../../lib/filters";
import { number } from "../../lib/format";
import { ago, campDateTime } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { Field, Select } from "../../ui/field";
import { InlineTitle } from "../../ui/inline-title";
import { EmptyState } from "../../ui/states";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { restoreFocus } from "../../ui/focus";
import { Listing } from "../shared/listing";
import { failedQuery, sendAgain, useMailChanged, type About, type FailedMail } from "./queries";
import { sentAgain } from "../shared/words";
import { MailSkeleton, Reason } from "./row";
import { kindName } from "./words";

const abouts: readonly About[] = ["videos", "other"];

/** The emails that the portal gave up on in the last seven days. */
export function FailedMails() {
  const { params, set } = useFilters();
  const about = abouts.find((one) => one === params.get("about")) ?? null;
  const every = useRefetchInterval(everyFifteenSeconds);
  const failed = useInfiniteQuery({
    ...failedQuery(about),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : every),
  });
  const mailChanged = useMailChanged();
  const again = useAction({
    mutationFn: sendAgain,
    onSuccess: (queued) => {
      toast({ title: "Success", description: sentAgain(queued) });
      void mailChanged().then(restoreFocus);
    },
    onError: (error) => toastFailure(error, "The emails could not be sent again."),
  });
  const busy = (mail: FailedMail) => again.isPending && again.variables.length === 1 && again.variables[0] === mail;

  return (
    <>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <Field label="About" className="w-56 max-sm:w-full">
          <Select value={about ?? ""} onChange={(event) => set({ about: event.target.value })}>
            <option value="">Everything</option>
            <option value="videos">Videos</option>
            <option value="other">Everything but videos</option>
          </Select>
        </Field>
        {failed.data && failed.data.length > 1 && (
          <Button
            look="line"
            icon="refresh"
            busy={again.isPending && again.variables.length > 1}
            onClick={() => again.mutate(failed.data)}
            className="max-sm:w-full"
          >
            Send all {number(failed.data.length)} again
          </Button>
        )}
      </div>
      <h2 className="sr-only">Failed emails</h2>
      <Listing
        list={failed}
        what="mails"
        failed="Failed to load the failed emails"
        skeleton={<MailSkeleton label="Loading failed emails" />}
        empty={
          <EmptyState
            title="No emails failed in the last seven days"
            text={
              about
                ? undefined
                : "Emails that the mail server refused, or did not accept for two days, are listed here with the reason."
            }
          >
            {about && (
              <Button look="line" onClick={() => set({ about: "" })}>
                Show everything
              </Button>
            )}
          </EmptyState>
        }
      >
        {(mails) => (
          <>
            <ul className="sheet overflow-clip">
              {mails.map((mail) => (
                <FailedRow
                  key={mail.notification_id + mail.email}
                  mail={mail}
                  busy={busy(mail)}
                  onAgain={() => again.mutate([mail])}
                />
              ))}
            </ul>
            <p className="mt-4 max-w-[80ch] text-sm text-muted">
              If an address is wrong, correct it on the family's page first. Emails about videos, updates and
              newsletters then go to the new one, unless they are no longer wanted; all others go to the same address
              again.
            </p>
          </>
        )}
      </Listing>
    </>
  );
}

function FailedRow({ mail, busy, onAgain }: { mail: FailedMail; busy: boolean; onAgain: () => void }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { email, full_name, family_id, title, kind, failed_at, refused } = mail;
  return (
    <li className="grid items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">
            {kindName(kind)}
            {title && (
              <>
                : <InlineTitle>{title}</InlineTitle>
              </>
            )}
          </span>
          {refused && (
            <Badge tone="bad" icon="mail">
              Address refused
            </Badge>
          )}
        </p>
        <p className="text-sm text-muted">
          To{" "}
          {family_id ? (
            <Link to={staffPaths.user(family_id)} className="link">
              <bdi>{full_name || email}</bdi>
            </Link>
          ) : (
            full_name && <bdi>{full_name}</bdi>
          )}
          {(full_name || !family_id) && (
            <>
              {" "}
              <bdi className="wrap-anywhere">{email}</bdi>
            </>
          )}
          ,{" "}
          <time dateTime={failed_at} title={campDateTime(failed_at, timeZone)}>
            {ago(failed_at, timeZone)}
          </time>
        </p>
        <Reason text={mail.reason} />
      </div>
      <Button look="line" icon="refresh" busy={busy} onClick={onAgain} className="max-md:justify-self-start">
        Send again<span className="sr-only"> to {email}</span>
      </Button>
    </li>
  );
}
