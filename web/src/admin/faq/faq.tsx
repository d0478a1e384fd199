import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { useFilters } from "../../lib/filters";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { SearchBox } from "../../ui/search-box";
import { Segmented } from "../../ui/segmented";
import { EmptyState } from "../../ui/states";
import { toast } from "../../ui/toast";
import { restoreFocus } from "../../ui/focus";
import { CollapsedFilters } from "../shared/filter-row";
import { Listing } from "../shared/listing";
import { PageHead } from "../shared/page-head";
import { StatCards } from "../shared/stat-cards";
import { ignoreNotFound } from "../shared/missing-records";
import { FaqDialog } from "./faq-dialog";
import { FaqList, FaqSkeleton } from "./faq-list";
import { categories, deleteFaq, faqQuery, faqStatsQuery, useFaqChanged, type AdminFaq, type Category } from "./queries";

type Open = { what: "add"; entry: null } | { what: "edit" | "delete"; entry: AdminFaq } | null;

/** Writes, publishes and sorts questions and answers. */
export default function FaqManagement() {
  const { params, set } = useFilters();
  const term = params.get("q")?.trim() ?? "";
  const category = categories.find((one) => one === params.get("category"));
  const query = faqQuery({ ...(term ? { q: term } : {}), ...(category ? { category } : {}) });
  const faq = useQuery(query);
  const stats = useQuery(faqStatsQuery).data;
  const [open, setOpen] = useState<Open>(null);

  return (
    <>
      <PageHead title="FAQ Management" description="What families ask, and what the camp answers">
        <Button icon="plus" onClick={() => setOpen({ what: "add", entry: null })} className="max-sm:w-full">
          Add FAQ
        </Button>
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
        <SearchBox
          label="Search FAQs"
          placeholder="Search questions and answers..."
          value={term}
          onSearch={(q) => set({ q })}
          className="max-sm:min-w-0 max-sm:flex-[1_1_8rem] sm:flex-[1_1_18rem]"
        />
        <CollapsedFilters chosen={[category]}>
          <Segmented
            label="Filter by category"
            value={category ?? "All"}
            options={(["All", ...categories] as const).map((value) => ({ value, label: value }))}
            onChange={(next) => set({ category: next === "All" ? "" : next })}
            className="max-sm:flex-wrap max-sm:[&>button]:px-2.5"
          />
        </CollapsedFilters>
      </div>
      <h2 className="sr-only">Questions</h2>
      <Listing
        list={faq}
        what="questions"
        failed="Failed to load questions"
        skeleton={<FaqSkeleton />}
        empty={
          <NoQuestions
            filtered={Boolean(term || category)}
            onShowAll={() => set({ q: "", category: "" })}
            onAdd={() => setOpen({ what: "add", entry: null })}
          />
        }
      >
        {(items) => (
          <FaqList
            items={items}
            queryKey={query.queryKey}
            sortable={!term && !faq.isPlaceholderData && items.length > 1}
            onEdit={(entry) => setOpen({ what: "edit", entry })}
            onDelete={(entry) => setOpen({ what: "delete", entry })}
          />
        )}
      </Listing>
      {open && open.what !== "delete" && (
        <FaqDialog
          entry={open.entry}
          category={category ?? ("Schedule" satisfies Category)}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.what === "delete" && <DeleteQuestion entry={open.entry} onClose={() => setOpen(null)} />}
    </>
  );
}

type NoQuestionsProps = { filtered: boolean; onShowAll: () => void; onAdd: () => void };

/** Why the list is empty, and what to do next. */
function NoQuestions({ filtered, onShowAll, onAdd }: NoQuestionsProps) {
  if (filtered) {
    return (
      <EmptyState title="No questions found">
        <Button look="line" onClick={onShowAll}>
          Show all questions
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No questions yet" text="Answer a question once here, and families won’t need to call.">
      <Button icon="plus" onClick={onAdd}>
        Add First FAQ
      </Button>
    </EmptyState>
  );
}

function DeleteQuestion({ entry, onClose }: { entry: AdminFaq; onClose: () => void }) {
  const faqChanged = useFaqChanged();
  return (
    <ConfirmDialog
      title="Delete this question?"
      name={entry.question}
      action="Delete question"
      onClose={onClose}
      onConfirm={async () => {
        await ignoreNotFound(deleteFaq(entry.id));
        toast({ title: "FAQ Deleted", description: "The question has been removed." });
        void faqChanged().then(restoreFocus);
      }}
    >
      Links to it stop working. This cannot be undone. An unpublished question can be published again later.
    </ConfirmDialog>
  );
}
