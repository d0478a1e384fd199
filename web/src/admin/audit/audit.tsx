import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { isApiError } from "../../api/client";
import { useSite } from "../../api/queries";
import { useFilters } from "../../lib/filters";
import { Button } from "../../ui/button";
import { EmptyState, Loading, Skeleton } from "../../ui/states";
import { ExportButton } from "../shared/export-button";
import { Listing } from "../shared/listing";
import { OwnersOnly } from "../shared/owners-only";
import { PageHead } from "../shared/page-head";
import { EntryRow } from "./entry-row";
import { FilterBar, nothingAsked, readFilter } from "./filter-bar";
import { auditQuery, auditTable, menusQuery } from "./queries";

const description = "Who did what, when, to which record";

export default function Audit() {
  return (
    <OwnersOnly title="Audit" description={description}>
      <Log />
    </OwnersOnly>
  );
}

function Log() {
  const { params, set } = useFilters();
  const timeZone = useSite()?.timezone ?? "UTC";
  const read = readFilter(params);
  const { filter, wrong, count } = read;
  const right = Object.keys(wrong).length === 0;
  const menus = useQuery(menusQuery).data;
  const log = useInfiniteQuery({ ...auditQuery(filter), enabled: right });
  const refused = isApiError(log.error) ? log.error.fields : {};
  const reading = { timeZone, menus };

  return (
    <>
      <PageHead title="Audit" description={description}>
        <ExportButton
          name="audit.csv"
          load={() => auditTable(filter)}
          done="The log was downloaded"
          disabled={!right}
        />
      </PageHead>
      <FilterBar read={read} set={set} menus={menus} refused={refused} />
      <h2 className="sr-only">Audit log</h2>
      {!right || Object.keys(refused).length > 0 ? (
        <p className="text-muted">Fix the filters to see the log again.</p>
      ) : (
        <Listing
          list={log}
          what="lines"
          failed="Failed to load the audit log"
          skeleton={<AuditSkeleton />}
          empty={
            count > 0 ? (
              <EmptyState title="Nothing matches these filters">
                <Button look="line" onClick={() => set(nothingAsked)}>
                  Clear filters
                </Button>
              </EmptyState>
            ) : (
              <EmptyState
                title="Nothing has been recorded yet"
                text="Every change by staff or at the command line will appear here."
              />
            )
          }
        >
          {(entries) => (
            <ul aria-label="Audit log" className="sheet overflow-clip">
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} reading={reading} record={filter.subject_id} />
              ))}
            </ul>
          )}
        </Listing>
      )}
    </>
  );
}

const AuditSkeleton = () => (
  <Loading label="Loading the audit log" className="sheet overflow-clip">
    {Array.from({ length: 6 }, (_, i) => (
      <div
        key={i}
        className="grid gap-x-6 gap-y-2 border-line px-4 py-3.5 not-first:border-t lg:grid-cols-[minmax(0,19rem)_minmax(0,1fr)]"
      >
        <div className="grid gap-2">
          <Skeleton className="h-5 w-44" />
          <Skeleton className="w-28" />
        </div>
        <div className="grid gap-2">
          <Skeleton className="w-3/5" />
          <Skeleton className="w-2/5" />
        </div>
      </div>
    ))}
  </Loading>
);
