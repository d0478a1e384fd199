import { useState } from "react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSite } from "../../api/queries";
import { useFilters, type Filters } from "../../lib/filters";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Select } from "../../ui/field";
import { SearchBox } from "../../ui/search-box";
import { EmptyState } from "../../ui/states";
import { toast } from "../../ui/toast";
import { everyFifteenSeconds, useRefetchInterval } from "../shared/refetch-interval";
import { toastFailure } from "../shared/error-toast";
import { CollapsibleFormButton, useCollapsibleForm } from "../shared/collapsible-form";
import { restoreFocus } from "../../ui/focus";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { ignoreNotFound } from "../shared/missing-records";
import { CreateForm } from "./create-form";
import { EditUpdate } from "./edit-update";
import {
  deleteUpdate,
  updatesQuery,
  useUpdatesChanged,
  type AdminUpdate,
  type Priority,
  type Standing,
} from "./queries";
import { UpdateCard, UpdatesSkeleton, priorities as priorityName } from "./update-card";

type Open = { what: "edit" | "delete"; update: AdminUpdate } | null;

const standingName: Record<Standing, string> = { active: "Active", inactive: "Inactive", expired: "Expired" };
const standings = Object.keys(standingName) as Standing[];
const priorities: readonly Priority[] = ["high", "medium", "low"];

/** Short announcements to families: posted, pinned, corrected, hidden and deleted. */
export default function Updates() {
  const timeZone = useSite()?.timezone ?? "UTC";
  const filters = useFilters();
  const asked = readFilter(filters.params);
  const slowly = useRefetchInterval(everyFifteenSeconds);
  const updates = useInfiniteQuery({
    ...updatesQuery({
      ...(asked.term ? { q: asked.term } : {}),
      ...(asked.standing ? { standing: asked.standing } : {}),
      ...(asked.priority ? { priority: asked.priority } : {}),
    }),
    // Polls faster while emails are being sent.
    refetchInterval: ({ state }) =>
      slowly && state.data?.pages.some(({ items }) => items.some(({ deliveries }) => deliveries?.queued))
        ? 4_000
        : slowly,
  });
  const [open, setOpen] = useState<Open>(null);
  const creation = useCollapsibleForm("create", filters);

  return (
    <>
      <PageHead title="Live Updates" description="Short announcements, on the site right away and by email">
        <CollapsibleFormButton {...creation.button} icon="plus">
          Create Update
        </CollapsibleFormButton>
      </PageHead>

      {creation.everOpened && (
        <CreateForm key={creation.key} open={creation.open} onCancel={creation.close} onDone={creation.done} />
      )}

      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-xl">Recent Updates</h2>
        <Button
          look="line"
          icon="refresh"
          busy={updates.isFetching && !updates.isFetchingNextPage}
          onClick={() => void updates.refetch()}
        >
          Refresh
        </Button>
        <UpdateFilters asked={asked} set={filters.set} />
      </div>

      <Listing
        list={updates}
        what="updates"
        failed="Failed to fetch live updates."
        skeleton={<UpdatesSkeleton />}
        empty={<NoUpdates asked={asked} set={filters.set} onCreate={creation.unfold} />}
      >
        {(all) => (
          <ul className="sheet overflow-clip">
            {all.map((update) => (
              <UpdateCard
                key={update.id}
                update={update}
                timeZone={timeZone}
                now={updates.dataUpdatedAt}
                onEdit={() => setOpen({ what: "edit", update })}
                onDelete={() => setOpen({ what: "delete", update })}
              />
            ))}
          </ul>
        )}
      </Listing>

      {open?.what === "edit" && <EditUpdate update={open.update} timeZone={timeZone} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && <DeleteUpdate update={open.update} onClose={() => setOpen(null)} />}
    </>
  );
}

/** The filters in the URL. */
const readFilter = (params: URLSearchParams) => ({
  term: params.get("q")?.trim() ?? "",
  standing: standings.find((one) => one === params.get("standing")),
  priority: priorities.find((one) => one === params.get("priority")),
});

type FilterProps = { asked: ReturnType<typeof readFilter>; set: Filters["set"] };

const UpdateFilters = ({ asked: { term, standing, priority }, set }: FilterProps) => (
  <div className="flex w-full flex-wrap gap-3">
    <SearchBox
      label="Search updates"
      placeholder="Search updates by title, message or author..."
      value={term}
      onSearch={(q) => set({ q })}
      className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_20rem]"
    />
    <CollapsedFilters
      chosen={[standing && standingName[standing], priority && `${priorityName[priority].label} priority`]}
    >
      <div className="grid grid-cols-2 gap-2 sm:gap-3">
        <Select
          aria-label="Filter by status"
          value={standing ?? ""}
          onChange={({ target }) => set({ standing: target.value })}
        >
          <option value="">Any status</option>
          {standings.map((one) => (
            <option key={one} value={one}>
              {standingName[one]}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Filter by priority"
          value={priority ?? ""}
          onChange={({ target }) => set({ priority: target.value })}
        >
          <option value="">Any priority</option>
          {priorities.map((one) => (
            <option key={one} value={one}>
              {priorityName[one].label} priority
            </option>
          ))}
        </Select>
      </div>
    </CollapsedFilters>
  </div>
);

/** Why the list is empty, and what to do next. */
function NoUpdates({ asked: { term, standing, priority }, set, onCreate }: FilterProps & { onCreate: () => void }) {
  if (term) {
    return (
      <EmptyState title={`No updates found matching "${term}"`}>
        <Button look="line" onClick={() => set({ q: "" })}>
          Clear Search
        </Button>
      </EmptyState>
    );
  }
  if (standing || priority) {
    return (
      <EmptyState title="No updates found">
        <Button look="line" onClick={() => set({ standing: "", priority: "" })}>
          Show all updates
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No Updates Yet" text="Families see the newest ones on the home page.">
      <Button icon="plus" onClick={onCreate}>
        Create First Update
      </Button>
    </EmptyState>
  );
}

function DeleteUpdate({ update, onClose }: { update: AdminUpdate; onClose: () => void }) {
  const updatesChanged = useUpdatesChanged();
  return (
    <ConfirmDialog
      title="Delete this update?"
      name={update.title}
      action="Delete update"
      onClose={onClose}
      failed={(error) => toastFailure(error, "Failed to delete update.")}
      onConfirm={async () => {
        await ignoreNotFound(deleteUpdate(update.id));
        toast({ title: "Update Deleted", description: "The live update has been removed." });
        void updatesChanged().then(restoreFocus);
      }}
    >
      Its page will say that it was removed. This cannot be undone. To show it again later, deactivate it instead.
    </ConfirmDialog>
  );
}
