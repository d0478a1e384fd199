import type { ReactNode } from "react";
import { isApiError } from "../../api/client";
import { Link } from "../../lib/navigation";
import { PageMeta } from "../../lib/page";
import { staffPaths } from "../../lib/staff-paths";
import { Button, buttonLook } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states";
import type { Statement } from "./queries";

type Props = {
  title: string;
  familyId: string;
  query: { isError: boolean; error: unknown; isFetching: boolean; refetch: () => unknown; data: Statement | undefined };
  children: (statement: Statement) => ReactNode;
};

/** A page for printing, without navigation. */
export function PrintPage({ title, familyId, query, children }: Props) {
  const missing = !query.data && isApiError(query.error, "not_found");
  return (
    <main
      id="main"
      data-paper
      tabIndex={-1}
      className="mx-auto w-full max-w-[50rem] px-gutter py-6 print:max-w-none print:p-0"
    >
      <PageMeta title={title} description={`${title} of a family, made for printing`} />
      {!missing && (
        <div className="mb-5 flex flex-wrap justify-between gap-3 print:hidden">
          <Link to={staffPaths.user(familyId)} className={buttonLook("line")}>
            <Icon name="previous" />
            Back to the user
          </Link>
          <Button icon="print" disabled={!query.data} onClick={() => print()}>
            Print
          </Button>
        </div>
      )}
      {query.data ? (
        <article className="sheet bg-surface p-4 text-ink shadow-low min-[24rem]:p-6 sm:p-10 print:rounded-none print:border-0 print:bg-transparent print:p-0 print:shadow-none">
          {children(query.data)}
        </article>
      ) : missing ? (
        <EmptyState title="User not found" text="It may have been deleted or merged with another user.">
          <Link to={staffPaths.users} className={buttonLook("line")}>
            <Icon name="previous" />
            Back to all users
          </Link>
        </EmptyState>
      ) : query.isError ? (
        <ErrorState
          title={`The ${title.toLowerCase()} could not be loaded`}
          error={query.error}
          retrying={query.isFetching}
          onRetry={query.refetch}
        />
      ) : (
        <Loading label={`Loading the ${title.toLowerCase()}`} className="sheet grid gap-5 p-10">
          <Skeleton className="h-9 w-56" />
          <Skeleton className="h-20" />
          <Skeleton className="h-64" />
        </Loading>
      )}
    </main>
  );
}

/** The sender and the recipient. */
export function Letterhead({ statement, heading, lines }: { statement: Statement; heading: string; lines: ReactNode }) {
  const { site_name, contact_email, contact_phone, family } = statement;
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 border-b-2 border-ink pb-5 wrap-anywhere">
        <div>
          <p className="font-head text-xl font-semibold">
            <bdi>{site_name}</bdi>
          </p>
          <p className="text-sm text-muted">{[contact_email, contact_phone].filter(Boolean).join(" · ")}</p>
        </div>
        <div className="sm:text-end">
          <h1 className="text-2xl">{heading}</h1>
          <p className="text-sm text-muted tabular-nums">{lines}</p>
        </div>
      </header>
      <section aria-label="Family" className="py-5">
        <p className="font-medium">
          <bdi>{family.full_name || "No Name"}</bdi>
        </p>
        {family.child_name && (
          <p>
            For <bdi>{family.child_name}</bdi>
          </p>
        )}
        {family.email && (
          <p className="text-sm text-muted">
            <bdi>{family.email}</bdi>
          </p>
        )}
      </section>
    </>
  );
}
