import { useRef, useState } from "react";
import { explain } from "../../lib/forms";
import { count, number } from "../../lib/format";
import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { Field, FormMessage, TextArea } from "../../ui/field";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";
import { isTurnedAway } from "../session";
import { takesFocus } from "../takes-focus";
import { useAsking } from "../unsaved";
import { importFamilies, useUsersChanged, type ImportReport } from "./queries";

const largest = 1024 * 1024;

/** Families from a table of the office: pasted or as a file, looked over by the server before anything is written. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const usersChanged = useUsersChanged();
  const file = useRef<HTMLInputElement>(null);
  const [csv, setCsv] = useState("");
  const [from, setFrom] = useState<string | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [busy, setBusy] = useState<"check" | "import" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  function take(text: string, name: string | null) {
    setCsv(text);
    setFrom(name);
    setReport(null);
    setFailure(null);
  }

  async function choose(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > largest) setFailure("The table is larger than 1 MB. Please split it.");
    else take(await chosen.text(), chosen.name);
    if (file.current) file.current.value = "";
  }

  async function run(dryRun: boolean) {
    if (busy) return;
    if (!csv.trim()) return setFailure("Please paste a table or choose a file.");
    setBusy(dryRun ? "check" : "import");
    setFailure(null);
    try {
      const done = await importFamilies(csv, dryRun);
      setReport(done);
      if (!dryRun) {
        toast({ title: "Import finished", description: `${number(done.added)} added, ${number(done.updated)} updated, ${number(done.skipped)} unchanged.` });
        void usersChanged();
      }
    } catch (error) {
      if (!isTurnedAway(error)) setFailure(explain(error));
    } finally {
      setBusy(null);
    }
  }

  const checked = report?.dry_run ? report : null;
  const imported = report && !report.dry_run;
  const good = checked ? checked.added + checked.updated : 0;
  const { close, question } = useAsking({ dirty: csv.trim() !== "" && !imported, name: from ?? "The pasted table", about: "import", onClose, ownStep: true });

  return (
    <Drawer title="Import users" onClose={close}>
      <div className="grid gap-5">
        <p className="text-muted">
          A table with a first row of names: Name and Child, and if you have them Email, Second Email, Total, Paid, Due Date. Somebody who is known already is updated, never added twice. Nobody is mailed.
        </p>
        <div className="flex flex-wrap items-center gap-3">
          <input ref={file} type="file" accept=".csv,text/csv,text/plain" aria-label="CSV file" onChange={(event) => void choose(event.target.files?.[0])} className="peer sr-only" tabIndex={-1} />
          <Button look="line" icon="up" ref={takesFocus} onClick={() => file.current?.click()}>Choose a CSV file</Button>
          {from && <bdi className="min-w-0 text-sm break-all text-muted">{from}</bdi>}
        </div>
        <Field label="Or paste the table">
          <TextArea
            dir="auto"
            rows={7}
            spellCheck={false}
            placeholder={"Name,Child,Email,Total,Due Date\nChaya Lindenfeld,Yanky,chaya@family.example,2800,2027-06-01"}
            value={csv}
            onChange={(event) => take(event.target.value, null)}
            className="font-mono text-sm whitespace-pre"
          />
        </Field>
        <FormMessage>{failure}</FormMessage>
        {report && <Report report={report} />}
      </div>
      <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 flex flex-wrap justify-end gap-3 border-t border-line bg-paper px-5 py-3">
        {imported ? (
          <Button onClick={onClose}>Done</Button>
        ) : (
          <>
            <Button look="line" onClick={close}>Cancel</Button>
            <Button look={checked ? "line" : "main"} busy={busy === "check"} onClick={() => run(true)}>{busy === "check" ? "Checking..." : checked ? "Check again" : "Check the table"}</Button>
            {checked && good > 0 && <Button busy={busy === "import"} onClick={() => run(false)}>{busy === "import" ? "Importing..." : `Import ${count(good, "family", "families")}`}</Button>}
          </>
        )}
      </div>
      {question}
    </Drawer>
  );
}

function Report({ report }: { report: ImportReport }) {
  const { dry_run, rows, added, updated, skipped, problems, unknown_columns } = report;
  const figures = [
    { label: dry_run ? "To add" : "Added", value: added },
    { label: dry_run ? "To update" : "Updated", value: updated },
    { label: "Unchanged", value: skipped },
    { label: "Problems", value: problems.length, bad: problems.length > 0 },
  ];
  return (
    <section aria-labelledby="report" className="grid gap-3">
      <h3 id="report"><span role="status">{dry_run ? `What would happen with ${count(rows, "row")}` : `Imported from ${count(rows, "row")}`}</span></h3>
      <dl className="sheet grid grid-cols-4 text-center tabular-nums">
        {figures.map(({ label, value, bad }) => (
          <div key={label} className="flex flex-col-reverse border-line px-1 py-3 not-first:border-s">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className={`font-head text-xl ${bad ? "text-clay" : ""}`}>{number(value)}</dd>
          </div>
        ))}
      </dl>
      {unknown_columns.length > 0 && <p className="text-sm text-muted">Not used: {unknown_columns.join(", ")}.</p>}
      {problems.length > 0 && (
        <>
          <p className="flex items-start gap-2 text-sm text-clay"><Icon name="alert" className="mt-[0.15em]" />Rows with a problem are left out{dry_run ? "; mend them above and check again, or import the others" : ""}.</p>
          <div className="sheet overflow-clip">
            <table className="w-full text-sm">
              <caption className="sr-only">Problems by line</caption>
              <thead className="text-muted">
                <tr className="border-b border-line">{["Line", "Column", "Problem"].map((name) => <th key={name} scope="col" className="px-3 py-2 text-start font-medium">{name}</th>)}</tr>
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
      )}
    </section>
  );
}
