import { Fragment } from "react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { campDate } from "../../lib/moments";
import { Link } from "../../lib/navigation";
import { staffPaths } from "../../lib/staff-paths";
import { EmptyState } from "../../ui/states";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { Listing } from "../shared/listing";
import { AddressActions } from "./address-actions";
import { refusedQuery, type RefusedAddress } from "./queries";
import { MailSkeleton, Reason } from "./row";

/** Suppressed addresses. They get no email because their mail server refused it permanently. */
export function RefusedAddresses() {
  const every = useRefetchInterval(everyFifteenSeconds);
  const refused = useInfiniteQuery({
    ...refusedQuery,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : every),
  });
  return (
    <>
      <h2 className="sr-only">Refused addresses</h2>
      <Listing
        list={refused}
        what="addresses"
        failed="Failed to load the refused addresses"
        skeleton={<MailSkeleton label="Loading refused addresses" />}
        empty={
          <EmptyState
            title="No address has refused our emails"
            text="When a mail server says that an address does not exist, we stop sending to it and list it here."
          />
        }
      >
        {(addresses) => (
          <>
            <ul className="sheet overflow-clip">
              {addresses.map((address) => (
                <AddressRow key={address.email} address={address} />
              ))}
            </ul>
            <p className="mt-4 max-w-[80ch] text-sm text-muted">
              We send nothing to these addresses until you correct them or allow emails again. Emails missed in between
              are not sent later.
            </p>
          </>
        )}
      </Listing>
    </>
  );
}

function AddressRow({ address }: { address: RefusedAddress }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const { email, family_id, family_name, staff, subscriber } = address;
  const whose = [
    family_id && (
      <Link key="family" to={staffPaths.user(family_id)} className="link">
        <bdi>{family_name || "No Name"}</bdi>
      </Link>
    ),
    staff && (
      <span key="staff">
        Admin account <bdi>{staff}</bdi>
      </span>
    ),
    subscriber && (
      <Link key="list" to={staffPaths.subscriber(email)} className="link">
        Mailing list
      </Link>
    ),
  ].filter((one) => typeof one === "object" && one !== null);
  return (
    <li className="grid items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          <bdi>{email}</bdi>
        </p>
        <p className="text-sm text-muted">
          {whose.map((one) => (
            <Fragment key={one.key}>{one} · </Fragment>
          ))}
          since <time dateTime={address.refused_at}>{campDate(address.refused_at, timeZone)}</time>
        </p>
        <Reason text={address.reason} />
      </div>
      <AddressActions email={email} familyId={family_id} isStaff={Boolean(staff)} />
    </li>
  );
}
