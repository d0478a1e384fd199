import { useRef, useState } from "react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { Button, buttonLook } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { ConfirmDialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { SearchBox } from "../../ui/search-box";
import { EmptyState, ErrorState, LoadMore } from "../../ui/states";
import { toast } from "../../ui/toast";
import { everyQuarterMinute, useEvery } from "../attention";
import { toastFailure } from "../failed";
import { keepFocus } from "../keep-focus";
import { NotRefreshed } from "../not-refreshed";
import { PageHead } from "../page-head";
import { CreateForm } from "./create-form";
import { EditUpdate } from "./edit-update";
import { deleteUpdate, updatesQuery, useUpdatesChanged, type AdminUpdate } from "./queries";
import { UpdateCard, UpdatesSkeleton } from "./update-card";

type Open = { what: "edit" | "delete"; update: AdminUpdate } | null;

/** Short announcements to families: posted, pinned, corrected, hidden and deleted. */
export default function LiveUpdates() {
  const timeZone = useSite()?.timezone ?? "UTC";
  const [params, setParams] = useSearchParams();
  const term = params.get("q")?.trim() ?? "";
  const creating = params.get("action") === "create";
  const slowly = useEvery(everyQuarterMinute);
  const updates = useInfiniteQuery({
    ...updatesQuery(term),
    // While mails are on their way their number changes by the second.
    refetchInterval: ({ state }) => (slowly && state.data?.pages.some(({ items }) => items.some(({ deliveries }) => deliveries?.queued)) ? 4_000 : slowly),
  });
  const [open, setOpen] = useState<Open>(null);
  const [forms, setForms] = useState(0);
  const [posted, setPosted] = useState(false);
  const [everOpened, setEverOpened] = useState(creating);
  const toggle = useRef<HTMLButtonElement>(null);
  if (creating && !everOpened) setEverOpened(true);
  // An empty form for the next one, once this one is folded away.
  if (posted && !creating) {
    setPosted(false);
    setForms((n) => n + 1);
  }

  const set = (key: string, value: string) =>
    setParams((now) => {
      if (value) now.set(key, value);
      else now.delete(key);
      return now;
    }, { replace: true });

  function closeForm() {
    set("action", "");
    toggle.current?.focus();
  }

  return (
    <>
      <PageHead title="Live Updates" text="Short announcements, on the site at once and by mail">
        <button
          ref={toggle}
          type="button"
          aria-expanded={creating}
          onClick={() => set("action", creating ? "" : "create")}
          className={buttonLook("main", "max-sm:w-full")}
        >
          <Icon name={creating ? "close" : "plus"} />
          Create Update
        </button>
      </PageHead>

      {everOpened && (
        <CreateForm
          key={forms}
          open={creating}
          onCancel={closeForm}
          onDone={() => {
            setPosted(true);
            closeForm();
          }}
        />
      )}

      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-xl">Recent Updates</h2>
        <Button look="line" icon="refresh" busy={updates.isFetching && !updates.isFetchingNextPage} onClick={() => void updates.refetch()}>Refresh</Button>
        <SearchBox label="Search updates" placeholder="Search updates by title, message or author..." value={term} onSearch={(q) => set("q", q)} className="w-full" />
      </div>

      {updates.data ? (
        <>
          {updates.isError && <NotRefreshed what="list" retrying={updates.isFetching} onRetry={updates.refetch} />}
          {updates.data.length > 0 ? (
            <div aria-busy={updates.isPlaceholderData} className={cx(updates.isPlaceholderData && "opacity-60")}>
              <ul className="sheet overflow-clip">
                {updates.data.map((update) => (
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
              {updates.hasNextPage && <LoadMore label="Load more updates" busy={updates.isFetchingNextPage} onMore={updates.fetchNextPage} />}
            </div>
          ) : term ? (
            <EmptyState title={`No updates found matching "${term}"`}>
              <Button look="line" onClick={() => set("q", "")}>Clear Search</Button>
            </EmptyState>
          ) : (
            <EmptyState title="No Updates Yet" text="Families read the newest ones on the home page.">
              <Button icon="plus" onClick={() => set("action", "create")}>Create First Update</Button>
            </EmptyState>
          )}
        </>
      ) : updates.isError ? (
        <ErrorState title="Failed to fetch live updates." error={updates.error} retrying={updates.isFetching} onRetry={updates.refetch} />
      ) : (
        <UpdatesSkeleton />
      )}

      {open?.what === "edit" && <EditUpdate update={open.update} timeZone={timeZone} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && <DeleteUpdate update={open.update} onClose={() => setOpen(null)} />}
    </>
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
      onConfirm={async () => {
        try {
          await deleteUpdate(update.id);
        } catch (error) {
          // Somebody was quicker: it is gone, as was wanted.
          if (!isApiError(error, "not_found")) {
            toastFailure(error, "Failed to delete update.");
            throw error;
          }
        }
        toast({ title: "Update Deleted", description: "The live update has been removed." });
        void updatesChanged().then(keepFocus);
      }}
    >
      Its page will say that it was withdrawn. This cannot be undone. A deactivated update can be shown again later.
    </ConfirmDialog>
  );
}
