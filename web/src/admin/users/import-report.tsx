import { useState, type ReactNode } from "react";
import { count, number, shortDate } from "../../lib/format";
import { money } from "../../lib/money";
import { Button } from "../../ui/button";
import { Checkbox } from "../../ui/field";
import { Icon } from "../../ui/icon";
import type { ImportChange, ImportReport } from "./queries";

type Ticks = { ticked: ReadonlySet<string>; onTick: (ticked: ReadonlySet<string>) => void };
type Props = Ticks & { report: ImportReport; currency: string; fromFile: boolean };

const atOnce = 50;

/** The result or preview of an import: totals, then each family. */
export function ImportReportView({ report, currency, fromFile, ticked, onTick }: Props) {
  const { dry_run, rows, added, updated, differing, skipped, problems, unknown_columns, changes, merged } = report;
  const figures = [
    { label: dry_run ? "To add" : "Added", value: added },
    dry_run ? { label: "Different", value: differing } : { label: "Updated", value: updated },
    { label: "Unchanged", value: dry_run ? skipped : skipped + differing },
    { label: "Problems", value: new Set(problems.map(({ line }) => line)).size, bad: problems.length > 0 },
  ];
  const meanwhile = changes.filter(({ outcome }) => outcome === "changed_meanwhile");
  const namesakes = report.new_families.filter(({ namesake_email }) => namesake_email);
  return (
    <section aria-labelledby="report" className="grid gap-4">
      <h3 id="report">
        <span role="status">
          {dry_run ? `What would happen with ${count(rows, "row")}` : `Imported from ${count(rows, "row")}`}
        </span>
      </h3>
      <dl className="sheet grid grid-cols-4 text-center tabular-nums">
        {figures.map(({ label, value, bad }) => (
          <div key={label} className="flex flex-col-reverse border-line px-1 py-3 not-first:border-s">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className={`font-head text-xl ${bad ? "text-clay" : ""}`}>{number(value)}</dd>
          </div>
        ))}
      </dl>
      <WhatWasRead source={report.source} />
      <LeftOut report={report} />
      {unknown_columns.length > 0 && (
        <Attention>
          Not used:{" "}
          {unknown_columns.map((name, i) => (
            <span key={`${i} ${name}`}>
              {i > 0 && ", "}
              <bdi>{name}</bdi>
            </span>
          ))}
          . If one of them is needed, give it one of the names above and check the table again.
        </Attention>
      )}
      {report.paid_otherwise > 0 && (
        <Attention>
          The paid amount in the table differs from the portal for {count(report.paid_otherwise, "family", "families")}.
          Payments of families already here are not imported: record them with the family.
        </Attention>
      )}
      {meanwhile.length > 0 && (
        <p role="alert" className="flex items-start gap-2 text-sm text-clay">
          <Icon name="alert" className="mt-[0.15em]" />
          <span>
            Someone else changed{" "}
            {meanwhile.map(({ id, before }, i) => (
              <span key={id}>
                {i > 0 && ", "}
                <bdi>{before.full_name}</bdi>
              </span>
            ))}{" "}
            after you checked the table, so the import left {meanwhile.length === 1 ? "this family" : "these families"}{" "}
            as it found {meanwhile.length === 1 ? "it" : "them"}. Check the table again to see the difference.
          </span>
        </p>
      )}
      {dry_run && changes.length > 0 && (
        <Changes changes={changes} currency={currency} ticked={ticked} onTick={onTick} />
      )}
      {dry_run && added > 0 && <NewFamilies rows={report.new_families} currency={currency} />}
      {namesakes.length > 0 && (
        <div className="text-sm">
          <h4 className="mb-1 font-medium">New, though a family with the same name and child is already here</h4>
          <ul className="grid gap-1 text-muted">
            {namesakes.map(({ line, full_name, child_name, namesake_email }) => (
              <li key={line} className="wrap-anywhere">
                Line {number(line)}: <bdi className="text-ink">{full_name}</bdi> · <bdi>{child_name}</bdi>. The other
                family has <bdi className="text-ink">{namesake_email}</bdi>.
              </li>
            ))}
          </ul>
        </div>
      )}
      {merged.length > 0 && (
        <div className="text-sm">
          <h4 className="mb-1 font-medium">Merged earlier, so skipped</h4>
          <ul className="grid gap-1 text-muted">
            {merged.map(({ line, full_name, into_name }) => (
              <li key={line}>
                Line {number(line)}: <bdi className="text-ink">{full_name}</bdi> is part of{" "}
                <bdi className="text-ink">{into_name}</bdi>.
              </li>
            ))}
          </ul>
        </div>
      )}
      {problems.length > 0 && <Problems report={report} fromFile={fromFile} />}
    </section>
  );
}

function LeftOut({ report: { visitors, unapproved } }: { report: ImportReport }) {
  const rows = [
    { many: visitors, what: count(visitors, "visitor") },
    { many: unapproved, what: `${count(unapproved, "family", "families")} without approval` },
  ];
  return rows
    .filter(({ many }) => many > 0)
    .map(({ many, what }) => (
      <p key={what} className="text-sm text-muted">
        {what} {many === 1 ? "is" : "are"} left out.
      </p>
    ));
}

const Attention = ({ children }: { children: ReactNode }) => (
  <p className="flex items-start gap-2 text-sm">
    <Icon name="alert" className="mt-[0.15em] text-clay" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
);

function Changes({ changes, currency, ticked, onTick }: Ticks & { changes: ImportChange[]; currency: string }) {
  const [most, setMost] = useState(atOnce);
  const all = ticked.size === changes.length;
  const tick = (id: string, on: boolean) => {
    const next = new Set(ticked);
    if (on) next.add(id);
    else next.delete(id);
    onTick(next);
  };
  return (
    <section aria-labelledby="different">
      <h4 id="different" className="font-medium">
        Already here, with other details in the table
      </h4>
      <p className="mt-1 text-sm text-muted">They stay as they are unless you check them.</p>
      {changes.length > 1 && (
        <Checkbox
          label={`Check all ${number(changes.length)}`}
          checked={all}
          onChange={() => onTick(new Set(all ? [] : changes.map(({ id }) => id)))}
        />
      )}
      <ul className="sheet overflow-clip">
        {changes.slice(0, most).map((change) => (
          <li key={change.id} className="border-line px-3.5 py-1.5 not-first:border-t">
            <Checkbox
              label={
                <>
                  <bdi className="font-medium">{change.before.full_name || "No Name"}</bdi>
                  {change.before.child_name && (
                    <span className="text-muted">
                      {" "}
                      · <bdi>{change.before.child_name}</bdi>
                    </span>
                  )}
                </>
              }
              checked={ticked.has(change.id)}
              onChange={(event) => tick(change.id, event.target.checked)}
            />
            <Differences change={change} currency={currency} />
          </li>
        ))}
      </ul>
      {changes.length > most && (
        <Button look="quiet" onClick={() => setMost(most + 200)} className="mt-2">
          Show more
        </Button>
      )}
    </section>
  );
}

const names: Record<ImportChange["fields"][number], string> = {
  full_name: "Name",
  child_name: "Child",
  user_type: "Type",
  email: "Email",
  secondary_email: "Second email",
  total_amount: "Total",
  due_date: "Due date",
  standing: "Access",
};

const types: Record<ImportChange["before"]["user_type"], string> = { parent: "Parent", visitor: "Visitor" };

const standings: Record<ImportChange["before"]["standing"], string> = {
  waiting: "To approve",
  approved: "Approved",
  refused: "Refused",
};

function Differences({ change, currency }: { change: ImportChange; currency: string }) {
  return (
    <table className="mb-2 w-full table-fixed text-sm">
      <caption className="sr-only">What would change for {change.before.full_name}</caption>
      <thead>
        <tr className="text-start text-xs text-muted">
          <th scope="col" className="w-24 py-1 pe-2 text-start font-normal">
            <span className="sr-only">Detail</span>
          </th>
          <th scope="col" className="py-1 pe-2 text-start font-normal">
            Now
          </th>
          <th scope="col" className="py-1 text-start font-normal">
            In the table
          </th>
        </tr>
      </thead>
      <tbody>
        {change.fields.map((field) => (
          <tr key={field} className="align-top tabular-nums">
            <th scope="row" className="py-1 pe-2 text-start font-normal text-muted">
              {names[field]}
            </th>
            <td className="py-1 pe-2 wrap-anywhere">
              <bdi>{shown(change.before, field, currency)}</bdi>
            </td>
            <td className="py-1 font-medium wrap-anywhere">
              <bdi>{shown(change.after, field, currency)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(of: ImportChange["before"], field: keyof typeof names, currency: string) {
  if (field === "total_amount") return of.total_amount == null ? "No plan" : money(of.total_amount, currency);
  if (field === "due_date") return of.due_date ? shortDate(of.due_date) : "None";
  if (field === "user_type") return types[of.user_type];
  if (field === "standing") return standings[of.standing];
  return of[field] || "None";
}

/** Which worksheet the rows are from, and what was not read from the file. */
function WhatWasRead({ source }: { source: ImportReport["source"] }) {
  return (
    <>
      {source.worksheet && (
        <p className="text-sm text-muted">
          Read from the worksheet “<bdi>{source.worksheet}</bdi>”.
        </p>
      )}
      {source.other_worksheets.length > 0 && (
        <p className="flex items-start gap-2 text-sm wrap-anywhere text-clay">
          <Icon name="alert" className="mt-[0.15em]" />
          <span>
            Not read: the {source.other_worksheets.length === 1 ? "worksheet" : "worksheets"}{" "}
            {source.other_worksheets.map((name, i) => (
              <span key={name}>
                {i > 0 && ", "}“<bdi>{name}</bdi>”
              </span>
            ))}
            . A file is imported from one worksheet; save the others as files of their own.
          </span>
        </p>
      )}
      {source.above.length > 0 && (
        <p className="text-sm wrap-anywhere text-muted">
          Not read, because it stands above the column names:{" "}
          {source.above.map((line, i) => (
            <span key={i}>
              {i > 0 && ", "}“<bdi>{line}</bdi>”
            </span>
          ))}
          .
        </p>
      )}
    </>
  );
}

function NewFamilies({ rows, currency }: { rows: ImportReport["new_families"]; currency: string }) {
  return (
    <details className="text-sm">
      <summary className="min-h-tap cursor-pointer py-2.5 font-medium">Show the new families</summary>
      <ul className="sheet overflow-clip">
        {rows.slice(0, 500).map(({ line, full_name, child_name, total_amount, paid_amount, due_date, ...row }) => (
          <li key={line} className="flex flex-wrap justify-between gap-x-4 border-line px-3.5 py-2 not-first:border-t">
            <span className="min-w-0 wrap-anywhere">
              <bdi className="font-medium">{full_name}</bdi> · <bdi>{child_name}</bdi>
              <span className="block text-muted">
                <bdi>{row.email ?? "No Email"}</bdi>
                {row.secondary_email && (
                  <>
                    {" "}
                    and <bdi>{row.secondary_email}</bdi>
                  </>
                )}
              </span>
            </span>
            <span className="text-end tabular-nums">
              {total_amount == null ? "No plan" : money(total_amount, currency)}
              {paid_amount > 0 && <span className="block text-muted">{money(paid_amount, currency)} paid</span>}
              {due_date && <span className="block text-muted">Due {shortDate(due_date)}</span>}
            </span>
          </li>
        ))}
      </ul>
      {rows.length > 500 && <p className="mt-2 text-muted">And {number(rows.length - 500)} more.</p>}
    </details>
  );
}

function Problems({ report: { dry_run, problems }, fromFile }: { report: ImportReport; fromFile: boolean }) {
  const again = fromFile ? "correct them in the file and choose it again" : "correct them above and check again";
  return (
    <>
      <p className="flex items-start gap-2 text-sm text-clay">
        <Icon name="alert" className="mt-[0.15em]" />
        Rows with a problem are skipped{dry_run ? `; ${again}, or import the others` : ""}.
      </p>
      <div className="sheet overflow-clip">
        <table className="w-full text-sm">
          <caption className="sr-only">Problems by line</caption>
          <thead className="text-muted">
            <tr className="border-b border-line">
              {["Line", "Column", "Problem"].map((name) => (
                <th key={name} scope="col" className="px-3 py-2 text-start font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {problems.map(({ line, column, message }, i) => (
              <tr key={i} className="border-line not-first:border-t">
                <td className="px-3 py-2 align-top tabular-nums">{line}</td>
                <td className="px-3 py-2 align-top">{column}</td>
                <td className="px-3 py-2">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
