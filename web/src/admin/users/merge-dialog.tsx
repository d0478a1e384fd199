import { useState } from "react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Dialog } from "../../ui/dialog";
import { SearchBox } from "../../ui/search-box";
import { ErrorState, Loading, Skeleton } from "../../ui/states";
import { MergePreview } from "./merge-preview";
import { usersQuery, type Family } from "./queries";
import { addressOf, nameOf } from "./words";

type Props = { family: Family; currency: string; onClose: () => void; onMerged: (kept: string) => void };

/** Merges a duplicate family. Staff choose the other family, see the preview, and then merge. */
export function MergeDialog({ family, currency, onClose, onMerged }: Props) {
  const [other, setOther] = useState<Family | null>(null);
  return (
    <Dialog title="Merge two users" onClose={onClose} className="sm:w-[min(100%-2rem,38rem)]!">
      {other ? (
        <MergePreview
          one={family}
          other={other}
          currency={currency}
          onBack={() => setOther(null)}
          onMerged={onMerged}
        />
      ) : (
        <Choose family={family} onChoose={setOther} />
      )}
    </Dialog>
  );
}

function Choose({ family, onChoose }: { family: Family; onChoose: (other: Family) => void }) {
  // Duplicates usually share the last name.
  const [term, setTerm] = useState(family.full_name.split(/\s+/).at(-1) ?? "");
  const found = useInfiniteQuery({ ...usersQuery({ ...(term ? { q: term } : {}), sort: "name" }, 20) });
  const others = found.data?.filter(({ id }) => id !== family.id) ?? [];
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Which one is the same family as <bdi className="font-medium text-ink">{nameOf(family)}</bdi>?
      </p>
      <SearchBox
        label="Search the other user"
        placeholder="Search by name, child or email"
        value={term}
        onSearch={setTerm}
      />
      {found.data ? (
        others.length > 0 ? (
          <ul className="sheet max-h-80 overflow-auto">
            {others.map((other) => (
              <li key={other.id} className="border-line not-first:border-t">
                <button
                  type="button"
                  onClick={() => onChoose(other)}
                  className="w-full px-4 py-2.5 text-start hover:bg-sunk focus-visible:-outline-offset-3"
                >
                  <span className="block font-medium">
                    <bdi>{nameOf(other)}</bdi>
                  </span>
                  <span className="block text-sm text-muted">
                    <bdi>{addressOf(other)}</bdi>
                    {other.child_name && (
                      <>
                        {" "}
                        · <bdi>{other.child_name}</bdi>
                      </>
                    )}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <p role="status" className="rounded-md bg-sunk px-4 py-3 text-muted">
            No other user found. Try the child's name or an email.
          </p>
        )
      ) : found.isError ? (
        <ErrorState
          title="Failed to load users"
          error={found.error}
          retrying={found.isFetching}
          onRetry={found.refetch}
        />
      ) : (
        <Loading label="Loading users..." className="grid gap-2">
          {Array.from({ length: 4 }, (_, i) => (
            <Skeleton key={i} className="h-12" />
          ))}
        </Loading>
      )}
    </div>
  );
}
