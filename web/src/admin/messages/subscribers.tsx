import { useState } from "react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { campDate } from "../../lib/moments";
import { useSearchParams } from "../../lib/address";
import { Badge } from "../../ui/badge";
import { Button, IconButton, buttonLook } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { restoreFocus } from "../../ui/focus";
import { Listing } from "../shared/listing";
import { useStaff } from "../shared/session";
import { removeSubscriber, subscribersCsv, subscribersQuery, type Subscriber } from "./queries";

/** The mailing list that people join in the footer. */
export function Subscribers() {
  const me = useStaff();
  const timeZone = useSite()?.timezone ?? "UTC";
  const [params, setParams] = useSearchParams();
  const term = params.get("q")?.trim() ?? "";
  const subscribers = useInfiniteQuery(subscribersQuery(term));
  const [removing, setRemoving] = useState<Subscriber | null>(null);
  const search = (q: string) => setParams({ view: "subscribers", ...(q ? { q } : {}) }, { replace: true });

  return (
    <>
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchBox
          label="Search subscribers"
          placeholder="Search by address..."
          value={term}
          onSearch={search}
          className="flex-[1_1_18rem]"
        />
        {me?.role === "owner" && (
          <a href={subscribersCsv} download="mailing-list.csv" className={buttonLook("line", "max-sm:w-full")}>
            <Icon name="down" />
            Export as CSV
          </a>
        )}
      </div>
      <h2 className="sr-only">Subscribers</h2>
      <Listing
        list={subscribers}
        what="subscribers"
        failed="Failed to load subscribers"
        skeleton={
          <Loading label="Loading subscribers" className="sheet overflow-clip">
            {Array.from({ length: 6 }, (_, i) => (
              <div key={i} className="border-line p-4 not-first:border-t">
                <Skeleton className="h-5 w-2/5" />
              </div>
            ))}
          </Loading>
        }
        empty={
          term ? (
            <EmptyState title={`No subscribers found matching "${term}"`}>
              <Button look="line" onClick={() => search("")}>
                Clear Search
              </Button>
            </EmptyState>
          ) : (
            <EmptyState
              title="No subscribers yet"
              text="People sign up under “Stay Updated” at the bottom of every page and confirm by email."
            />
          )
        }
      >
        {(all) => (
          <ul className="sheet overflow-clip">
            {all.map((subscriber) => (
              <li
                key={subscriber.id}
                className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 border-line py-1.5 ps-4 pe-2 not-first:border-t md:grid-cols-[minmax(0,1fr)_13rem_11rem_auto]"
              >
                <bdi className="min-w-0 font-medium wrap-anywhere">{subscriber.email}</bdi>
                <span className="max-md:order-3">
                  {subscriber.confirmed_at ? (
                    <Badge tone="good" icon="check">
                      Confirmed
                    </Badge>
                  ) : (
                    <Badge tone="due" icon="clock">
                      Waiting for confirmation
                    </Badge>
                  )}
                </span>
                <time dateTime={subscriber.created_at} className="text-sm text-muted max-md:hidden">
                  Since {campDate(subscriber.created_at, timeZone)}
                </time>
                <IconButton
                  icon="trash"
                  danger
                  label={`Remove ${subscriber.email}`}
                  title="Remove"
                  onClick={() => setRemoving(subscriber)}
                />
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {removing && <RemoveDialog subscriber={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function RemoveDialog({ subscriber, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <ConfirmDialog
      title="Remove from the mailing list?"
      name={subscriber.email}
      action="Remove address"
      onClose={onClose}
      onConfirm={async () => {
        try {
          await removeSubscriber(subscriber.id);
        } catch (error) {
          if (!isApiError(error, "not_found")) throw error;
        }
        toast({
          title: "Subscriber Removed",
          description: `${subscriber.email} no longer gets newsletters from the mailing list.`,
        });
        void client.invalidateQueries({ queryKey: ["admin", "letter-reach"] });
        void client.invalidateQueries({ queryKey: ["admin", "subscribers"] }).then(restoreFocus);
      }}
    >
      They can sign up again anytime.
    </ConfirmDialog>
  );
}
