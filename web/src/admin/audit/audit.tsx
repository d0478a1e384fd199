import { useState } from "react";
import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { api } from "../../api/client";
import { useSite } from "../../api/queries";
import type { components } from "../../api/schema.gen";
import { campDateTime } from "../../lib/format";
import { paths } from "../../lib/paths";
import { Button } from "../../ui/button";
import { Field, TextInput } from "../../ui/field";
import { EmptyState, ErrorState, LoadMore, Loading, Skeleton } from "../../ui/states";
import { NotRefreshed } from "../not-refreshed";
import { OwnersOnly } from "../owners-only";
import { asStaff } from "../session";
import { actionLabel, isRecordId, linesOf, type Line } from "./words";

type Entry = components["schemas"]["AuditEntry"];

const subtitle = "Who did what, when, to which record";

const auditQuery = (record: string) =>
  infiniteQueryOptions({
    queryKey: ["admin", "audit", record],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 50, ...(record ? { subject_id: record } : {}), ...(pageParam ? { cursor: pageParam } : {}) };
      return asStaff(api.GET("/api/admin/audit", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });

export default function Audit() {
  return (
    <OwnersOnly title="Audit" subtitle={subtitle}>
      <h1 className="text-2xl">Audit</h1>
      <p className="mt-1 mb-6 text-muted">{subtitle}</p>
      <Log />
    </OwnersOnly>
  );
}

function Log() {
  const [params, setParams] = useSearchParams();
  const asked = params.get("record")?.trim() ?? "";
  const record = isRecordId(asked) ? asked : "";
  const log = useInfiniteQuery({ ...auditQuery(record), enabled: asked === record });
  const show = (id: string) => setParams(id ? { record: id } : {});

  return (
    <>
      <Filter key={asked} asked={asked} onShow={show} />
      {asked !== record ? null : log.data ? (
        <>
          {log.isError && <NotRefreshed what="log" retrying={log.isFetching} onRetry={log.refetch} />}
          {log.data.length > 0 ? (
            <>
              <ul aria-label="Audit log" className="sheet overflow-clip">
                {log.data.map((entry) => <Row key={entry.id} entry={entry} filtered={record !== ""} />)}
              </ul>
              {log.hasNextPage && <LoadMore label="Load more" busy={log.isFetchingNextPage} onMore={log.fetchNextPage} />}
            </>
          ) : (
            <EmptyState title={record ? "Nothing is recorded about this record" : "Nothing has been recorded yet"}>
              {record && <Button look="line" onClick={() => show("")}>Show everything</Button>}
            </EmptyState>
          )}
        </>
      ) : log.isError ? (
        <ErrorState title="Failed to load the audit log" error={log.error} retrying={log.isFetching} onRetry={log.refetch} />
      ) : (
        <Loading label="Loading the audit log" className="sheet grid gap-4 p-5">
          {Array.from({ length: 6 }, (_, i) => <Skeleton key={i} className="h-14" />)}
        </Loading>
      )}
    </>
  );
}

function Filter({ asked, onShow }: { asked: string; onShow: (id: string) => void }) {
  const [typed, setTyped] = useState(asked);
  const [wrong, setWrong] = useState(asked !== "" && !isRecordId(asked));
  return (
    <form
      noValidate
      className="mb-4 grid items-start gap-3 md:grid-cols-[minmax(0,28rem)_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        const id = typed.trim();
        if (id && !isRecordId(id)) setWrong(true);
        else onShow(id);
      }}
    >
      <Field label="Record" hint="The id of a video, a family, an account or anything else" error={wrong ? "Please enter a whole record id, or leave it empty." : null}>
        <TextInput
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            setWrong(false);
          }}
        />
      </Field>
      <div className="flex gap-2 md:pt-[1.75rem]">
        <Button type="submit" look="line">Show</Button>
        {asked && <Button look="quiet" onClick={() => onShow("")}>Show everything</Button>}
      </div>
    </form>
  );
}

function Row({ entry, filtered }: { entry: Entry; filtered: boolean }) {
  const timeZone = useSite()?.timezone ?? "UTC";
  const lines = linesOf(entry.action, entry.details, timeZone);
  return (
    <li className="grid gap-2 border-line px-4 py-3.5 not-first:border-t">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p><span className="font-medium">{actionLabel(entry.action)}</span> <span className="text-muted">by <Actor entry={entry} /></span></p>
        <time dateTime={entry.at} className="text-sm text-muted tabular-nums">{campDateTime(entry.at, timeZone)}</time>
      </div>
      {lines.length > 0 && <Details lines={lines} />}
      {entry.subject_id && (
        <p className="text-sm wrap-anywhere text-muted">
          Record {filtered ? entry.subject_id : <Link to={paths.admin.auditOf(entry.subject_id)} className="link">{entry.subject_id}</Link>}
        </p>
      )}
    </li>
  );
}

const actors: Record<string, string> = { staff: "a former staff account", user: "a family", operator: "the command line", system: "the portal itself", nobody: "a stranger" };

function Actor({ entry: { actor_kind, actor_name } }: { entry: Entry }) {
  if (actor_name) return <bdi>{actor_name}</bdi>;
  return Object.hasOwn(actors, actor_kind) ? actors[actor_kind] : actor_kind;
}

const Details = ({ lines }: { lines: Line[] }) => (
  <dl className="grid gap-1 text-sm">
    {lines.map(({ label, before, after }) => (
      <div key={label} className="wrap-anywhere">
        <dt className="inline text-muted">{label}: </dt>
        <dd className="inline">
          {before !== undefined && <><span className="sr-only">before </span><bdi className="text-muted line-through">{before}</bdi><span aria-hidden="true"> → </span><span className="sr-only">, after </span></>}
          <bdi>{after}</bdi>
        </dd>
      </div>
    ))}
  </dl>
);
