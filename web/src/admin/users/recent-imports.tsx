import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { count, number } from "../../lib/format";
import { age } from "../../lib/moments";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { ErrorState } from "../../ui/states";
import { toast } from "../../ui/toast";
import { importsQuery, undoImport, useUsersChanged, type RecentImport, type UndoneImport } from "./queries";

/** The imports of the last day, or one of them, each with an undo button. */
export function RecentImports({ only }: { only?: string }) {
  const usersChanged = useUsersChanged();
  const imports = useQuery(importsQuery);
  const [asked, setAsked] = useState<RecentImport | null>(null);
  const [undone, setUndone] = useState<UndoneImport | null>(null);
  const shown = imports.data?.items.filter(({ id }) => !only || id === only) ?? [];

  async function undo({ id }: RecentImport) {
    const outcome = await undoImport(id);
    setUndone(outcome);
    toast({
      title: "Import undone",
      description: `${number(outcome.removed)} removed, ${number(outcome.restored)} restored, ${number(outcome.skipped.length)} left as they are.`,
    });
    void usersChanged();
  }

  if (imports.isError)
    return (
      <ErrorState
        title={only ? "The import could not be loaded" : "The imports of the last day could not be loaded"}
        error={imports.error}
        retrying={imports.isFetching}
        onRetry={imports.refetch}
      />
    );
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="recent-imports" className="grid gap-2">
      <h3 id="recent-imports" className="font-medium">
        {only ? "Undo" : "Imports of the last day"}
      </h3>
      <ul className="sheet overflow-clip">
        {shown.map((made) => (
          <li
            key={made.id}
            className="flex flex-wrap items-center justify-between gap-x-4 border-line px-3.5 py-2 not-first:border-t"
          >
            <span className="text-sm">
              {number(made.added)} added, {number(made.updated)} updated
              <span className="block text-muted">
                {age(made.created_at)} by <bdi>{made.made_by ?? "the command line"}</bdi>
              </span>
            </span>
            {made.undone_at ? (
              <span className="text-sm text-muted">Undone</span>
            ) : (
              <Button look="line" onClick={() => setAsked(made)}>
                Undo
              </Button>
            )}
          </li>
        ))}
      </ul>
      {undone && undone.skipped.length > 0 && (
        <div className="text-sm">
          <p className="font-medium">Left as {undone.skipped.length === 1 ? "it is" : "they are"}</p>
          <ul className="text-muted">
            {undone.skipped.map(({ id, full_name, reason }) => (
              <li key={id}>
                <bdi className="text-ink">{full_name || "A deleted family"}</bdi>: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      {asked && (
        <ConfirmDialog
          title="Undo this import?"
          name={`${count(asked.added, "family", "families")} added, ${number(asked.updated)} updated`}
          action="Undo the import"
          onConfirm={() => undo(asked)}
          onClose={() => setAsked(null)}
        >
          Added families are deleted, and updated ones get their old details back. Families changed since then stay as
          they are.
        </ConfirmDialog>
      )}
    </section>
  );
}
