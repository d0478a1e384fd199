import { useRef, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useAction } from "../../api/use-action";
import { isApiError } from "../../api/client";
import { count } from "../../lib/format";
import { Badge } from "../../ui/badge";
import { Button, IconButton } from "../../ui/button";
import { cx } from "../../ui/class-names";
import { directionOf } from "../../ui/direction";
import { Loading, Skeleton } from "../../ui/states";
import { toast } from "../../ui/toast";
import { moved, useDragOrder } from "../shared/drag-order";
import { toastFailure } from "../shared/error-toast";
import { changeFaq, orderFaq, placeholdersQuery, useFaqChanged, type AdminFaq, type faqQuery } from "./queries";
import { filled } from "./words";

const ordering = ["admin", "faq", "order"];

type Props = {
  items: AdminFaq[];
  /** The query with these questions. A new order shows in it at once. */
  queryKey: ReturnType<typeof faqQuery>["queryKey"];
  /** Only the whole list can be sorted, not search results. */
  sortable: boolean;
  onEdit: (entry: AdminFaq) => void;
  onDelete: (entry: AdminFaq) => void;
};

/** The questions in order. Dragging or the arrow keys change it. */
export function FaqList({ items, queryKey, sortable, onEdit, onDelete }: Props) {
  const client = useQueryClient();
  const faqChanged = useFaqChanged();
  const [said, setSaid] = useState("");
  // The order on the server.
  const saved = useRef(items);

  const order = useAction({
    mutationKey: ordering,
    // Sends one request at a time, because a held arrow key is faster than the server.
    scope: { id: "faq order" },
    mutationFn: (next: AdminFaq[]) => orderFaq(next.map(({ id }) => id)),
    onMutate: () => client.cancelQueries({ queryKey }),
    onSuccess: (_done, next) => {
      saved.current = next;
    },
    onError: (error) => {
      if (client.isMutating({ mutationKey: ordering }) === 1) client.setQueryData(queryKey, saved.current);
      toastFailure(error, "Failed to save the order.");
    },
    onSettled: () => (client.isMutating({ mutationKey: ordering }) === 1 ? faqChanged() : undefined),
  });

  function move({ id, question }: AdminFaq, to: (from: number) => number) {
    // Reads the cache, because a second key may come before the first one's new order is rendered.
    const current = client.getQueryData(queryKey) ?? items;
    const from = current.findIndex((entry) => entry.id === id);
    const place = to(from);
    if (from < 0 || from === place || place < 0 || place >= current.length) return;
    if (client.isMutating({ mutationKey: ordering }) === 0) saved.current = current;
    const next = moved(current, from, place);
    client.setQueryData(queryKey, next);
    order.mutate(next);
    setSaid(`${question}: now number ${place + 1} of ${next.length}.`);
  }

  const dragging = useDragOrder((from, to) => move(items[from]!, () => to));

  return (
    <>
      <p role="status" className="sr-only">
        {said}
      </p>
      <ol className="sheet overflow-clip">
        {items.map((entry, i) => (
          <li
            key={entry.id}
            {...(sortable ? dragging.props(i) : {})}
            className={cx(
              "grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 border-line p-3 not-first:border-t md:grid-cols-[auto_minmax(0,1fr)_auto] md:gap-x-4 md:p-4",
              dragging.isTarget(i) && "bg-pine-wash",
            )}
          >
            <button
              type="button"
              disabled={!sortable}
              aria-label={`Move ${entry.question}, number ${i + 1}. Arrow keys move it.`}
              title="Drag, or use the arrow keys"
              onKeyDown={(event) => {
                const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                if (!step) return;
                event.preventDefault();
                move(entry, (from) => from + step);
              }}
              className="grid size-tap cursor-grab place-items-center rounded-md text-lg leading-none text-muted hover:bg-sunk disabled:cursor-default disabled:opacity-30"
            >
              <span aria-hidden="true">⠿</span>
            </button>
            <Entry entry={entry} onEdit={() => onEdit(entry)} onDelete={() => onDelete(entry)} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Entry({ entry, onEdit, onDelete }: { entry: AdminFaq; onEdit: () => void; onDelete: () => void }) {
  const placeholders = useQuery(placeholdersQuery).data ?? [];
  const faqChanged = useFaqChanged();
  const toggle = useAction({
    mutationFn: () => changeFaq(entry.id, { version: entry.version, is_published: !entry.is_published }),
    onSuccess: async () => {
      await faqChanged();
      toast(
        entry.is_published
          ? { title: "FAQ Unpublished", description: "Families no longer see it." }
          : { title: "FAQ Published", description: "Families can see it." },
      );
    },
    onError: (error) => {
      if (isApiError(error, "stale", "not_found")) void faqChanged();
      toastFailure(error, "Failed to update status.");
    },
  });
  return (
    <>
      <div className="min-w-0">
        <h3 dir={directionOf(entry.question)} className="w-fit text-[1.12rem] wrap-anywhere">
          {entry.question}
        </h3>
        <p dir={directionOf(entry.answer)} className="mt-0.5 line-clamp-2 w-fit text-sm text-muted wrap-anywhere">
          {filled(entry.answer, placeholders)}
        </p>
        <div className="mt-1.5 flex flex-wrap items-center gap-2">
          {entry.is_published ? (
            <Badge tone="good" icon="check">
              Published
            </Badge>
          ) : (
            <Badge>Draft</Badge>
          )}
          <Badge>{entry.category}</Badge>
          <span className="text-xs text-muted tabular-nums">{count(entry.views, "view")}</span>
        </div>
      </div>
      <div className="flex items-start max-md:col-span-2 max-md:items-center">
        <Button look="quiet" busy={toggle.isPending} onClick={() => toggle.mutate()}>
          {entry.is_published ? "Unpublish" : "Publish"}
          <span className="sr-only">: {entry.question}</span>
        </Button>
        <IconButton
          icon="edit"
          label={`Edit ${entry.question}`}
          title="Edit"
          onClick={onEdit}
          className="max-md:ms-auto"
        />
        <IconButton icon="trash" danger label={`Delete ${entry.question}`} title="Delete" onClick={onDelete} />
      </div>
    </>
  );
}

export const FaqSkeleton = () => (
  <Loading label="Loading questions" className="sheet overflow-clip">
    {Array.from({ length: 6 }, (_, i) => (
      <div key={i} className="grid gap-2.5 border-line p-4 not-first:border-t">
        <Skeleton className="h-5 w-2/5" />
        <Skeleton className="w-3/4" />
        <Skeleton className="h-5 w-36" />
      </div>
    ))}
  </Loading>
);
