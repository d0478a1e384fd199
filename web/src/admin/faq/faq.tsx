import { useState } from "react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useFilters } from "../../lib/filters";
import { count } from "../../lib/format";
import { Badge } from "../../ui/badge";
import { Button, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { ConfirmDialog } from "../../ui/dialog";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { moved, useDragOrder } from "../shared/drag-order";
import { toastFailure } from "../shared/error-toast";
import { keepFocus } from "../shared/restore-focus";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { StatCards } from "../shared/stat-cards";
import { unlessGone } from "../shared/missing-records";
import { FaqDialog } from "./faq-dialog";
import { categories, changeFaq, deleteFaq, faqQuery, faqStatsQuery, orderFaq, placeholdersQuery, useFaqChanged, type AdminFaq, type Category } from "./queries";
import { filled } from "./words";

type Open = { what: "add"; entry: null } | { what: "edit" | "delete"; entry: AdminFaq } | null;

const ordering = ["admin", "faq", "order"];

/** Questions and answers: written, published, put in order. */
export default function FaqDesk() {
  const client = useQueryClient();
  const faqChanged = useFaqChanged();
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const category = categories.find((one) => one === params.get("category"));
  const query = faqQuery({ ...(term ? { q: term } : {}), ...(category ? { category } : {}) });
  const faq = useQuery(query);
  const stats = useQuery(faqStatsQuery).data;
  const [open, setOpen] = useState<Open>(null);
  const [said, setSaid] = useState("");
  const items = faq.data ?? [];
  // Among the found ones an order has no meaning.
  const sortable = !term && !faq.isPlaceholderData && items.length > 1;

  const order = useMutation({
    mutationKey: ordering,
    // One after the other: whoever holds the arrow key down is faster than the server.
    scope: { id: "faq order" },
    mutationFn: (next: AdminFaq[]) => orderFaq(next.map(({ id }) => id)),
    onMutate: (next) => {
      client.setQueryData(query.queryKey, next);
      return client.cancelQueries({ queryKey: query.queryKey });
    },
    onError: (error) => toastFailure(error, "Failed to save the order."),
    onSettled: () => (client.isMutating({ mutationKey: ordering }) === 1 ? faqChanged() : undefined),
  });

  function move(from: number, to: number) {
    if (from === to || to < 0 || to >= items.length) return;
    order.mutate(moved(items, from, to));
    setSaid(`${items[from]!.question}: now number ${to + 1} of ${items.length}.`);
  }

  const dragging = useDragOrder(move);

  return (
    <>
      <PageHead title="FAQ Management" description="What families ask, and what the camp answers">
        <Button icon="plus" onClick={() => setOpen({ what: "add", entry: null })} className="max-sm:w-full">Add FAQ</Button>
      </PageHead>
      <StatCards
        label="Figures"
        stats={[
          { label: "Total", value: stats?.total, icon: "help" },
          { label: "Published", value: stats?.published, icon: "check" },
          { label: "Draft", value: stats?.draft, icon: "edit" },
          { label: "Total Views", value: stats?.total_views, icon: "eye" },
        ]}
      />
      <div className="mb-4 flex flex-wrap gap-3">
        <SearchBox label="Search FAQs" placeholder="Search questions and answers..." value={term} onSearch={(q) => set({ q })} className="flex-[1_1_18rem]" />
        <Segmented
          label="Filter by category"
          value={category ?? "All"}
          options={(["All", ...categories] as const).map((value) => ({ value, label: value }))}
          onChange={(next) => set({ category: next === "All" ? "" : next })}
          className="max-sm:w-full max-sm:flex-wrap max-sm:[&>button]:px-2.5"
        />
      </div>
      <h2 className="sr-only">Questions</h2>
      <p role="status" className="sr-only">{said}</p>
      <Listing
        list={faq}
        what="questions"
        failed="Failed to load questions"
        skeleton={<FaqSkeleton />}
        empty={
          term || category ? (
            <EmptyState title="No questions found">
              <Button look="line" onClick={() => set({ q: "", category: "" })}>Show all questions</Button>
            </EmptyState>
          ) : (
            <EmptyState title="No questions yet" text="Answered once here, a question need not be answered by telephone.">
              <Button icon="plus" onClick={() => setOpen({ what: "add", entry: null })}>Add First FAQ</Button>
            </EmptyState>
          )
        }
      >
        {(all) => (
          <ol className="sheet overflow-clip">
            {all.map((entry, i) => (
              <li key={entry.id} {...(sortable ? dragging.props(i) : {})} className={cx("grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 border-line p-3 not-first:border-t md:grid-cols-[auto_minmax(0,1fr)_auto] md:gap-x-4 md:p-4", dragging.isTarget(i) && "bg-pine-wash")}>
                <button
                  type="button"
                  disabled={!sortable}
                  aria-label={`Move ${entry.question}, number ${i + 1}. Arrow keys move it.`}
                  title="Drag, or use the arrow keys"
                  onKeyDown={(event) => {
                    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                    if (!step) return;
                    event.preventDefault();
                    move(i, i + step);
                  }}
                  className="grid size-tap cursor-grab place-items-center rounded-md text-lg leading-none text-muted hover:bg-sunk disabled:cursor-default disabled:opacity-30"
                >
                  <span aria-hidden="true">⠿</span>
                </button>
                <Entry entry={entry} onEdit={() => setOpen({ what: "edit", entry })} onDelete={() => setOpen({ what: "delete", entry })} />
              </li>
            ))}
          </ol>
        )}
      </Listing>
      {open && open.what !== "delete" && <FaqDialog entry={open.entry} category={category ?? ("Schedule" satisfies Category)} onClose={() => setOpen(null)} />}
      {open?.what === "delete" && (
        <ConfirmDialog
          title="Delete this question?"
          name={open.entry.question}
          action="Delete question"
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await unlessGone(deleteFaq(open.entry.id));
            toast({ title: "FAQ Deleted", description: "The question has been removed." });
            void faqChanged().then(keepFocus);
          }}
        >
          Links to it stop working. This cannot be undone. An unpublished question can be published again later.
        </ConfirmDialog>
      )}
    </>
  );
}

function Entry({ entry, onEdit, onDelete }: { entry: AdminFaq; onEdit: () => void; onDelete: () => void }) {
  const placeholders = useQuery(placeholdersQuery).data ?? [];
  const faqChanged = useFaqChanged();
  const toggle = useMutation({
    mutationFn: () => changeFaq(entry.id, { version: entry.version, is_published: !entry.is_published }),
    onSuccess: async () => {
      await faqChanged();
      toast(entry.is_published ? { title: "FAQ Unpublished", description: "Families no longer see it." } : { title: "FAQ Published", description: "Families can read it." });
    },
    onError: (error) => {
      if (isApiError(error, "stale", "not_found")) void faqChanged();
      toastFailure(error, "Failed to update status.");
    },
  });
  return (
    <>
      <div className="min-w-0">
        <h3 dir="auto" className="text-[1.12rem]">{entry.question}</h3>
        <p dir="auto" className="mt-0.5 line-clamp-2 text-sm text-muted">{filled(entry.answer, placeholders)}</p>
        <div className="mt-1.5 flex flex-wrap items-center gap-2">
          {entry.is_published ? <Badge tone="good" icon="check">Published</Badge> : <Badge>Draft</Badge>}
          <Badge>{entry.category}</Badge>
          <span className="text-xs text-muted tabular-nums">{count(entry.views, "view")}</span>
        </div>
      </div>
      <div className="flex items-start max-md:col-span-2 max-md:items-center">
        <Button look="quiet" busy={toggle.isPending} onClick={() => toggle.mutate()}>{entry.is_published ? "Unpublish" : "Publish"}<span className="sr-only">: {entry.question}</span></Button>
        <IconButton icon="edit" label={`Edit ${entry.question}`} title="Edit" onClick={onEdit} className="max-md:ms-auto" />
        <IconButton icon="trash" danger label={`Delete ${entry.question}`} title="Delete" onClick={onDelete} />
      </div>
    </>
  );
}

const FaqSkeleton = () => (
  <Loading label="Loading questions" className="sheet overflow-clip">
    {Array.from({ length: 6 }, (_, i) => <div key={i} className="grid gap-2.5 border-line p-4 not-first:border-t"><Skeleton className="h-5 w-2/5" /><Skeleton className="w-3/4" /><Skeleton className="h-5 w-36" /></div>)}
  </Loading>
);
