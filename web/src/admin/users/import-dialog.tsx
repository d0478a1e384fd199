import { useRef, useState } from "react";
import { explain } from "../../lib/forms";
import { count, number } from "../../lib/format";
import { Button } from "../../ui/button";
import { Drawer } from "../../ui/drawer";
import { Field, FormMessage, Select, TextArea } from "../../ui/field";
import { toast } from "../../ui/toast";
import { requiresSignIn } from "../shared/session";
import { focusOnMount } from "../../ui/focus";
import { useCloseQuestion } from "../shared/form";
import { ImportReportView } from "./import-report";
import { RecentImports } from "./recent-imports";
import { importFamilies, useUsersChanged, type ImportReport, type TextEncoding } from "./queries";

const largest = 5 * 1024 * 1024;
const encodings: Record<TextEncoding, string> = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16 (big-endian)",
  "windows-1252": "Windows-1252 (Western European)",
  "windows-1255": "Windows-1255 (Hebrew)",
};

/** The table, what the last check found, and which changes are ticked. */
function useImport() {
  const usersChanged = useUsersChanged();
  const [csv, setCsv] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const [encoding, setEncoding] = useState<TextEncoding | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<"check" | "import" | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  // Counts the tables, so that the result for an earlier table is not shown with the next one.
  const tables = useRef(0);

  function begin(next: Table) {
    tables.current++;
    setBusy(null);
    if (next.csv !== undefined) setCsv(next.csv);
    if (next.file !== undefined) setFile(next.file);
    setEncoding(null);
    setReport(null);
    setTicked(new Set());
    setFailure(null);
  }

  /** The rows to import, which are only those that the last check showed. */
  function wanted() {
    const changes = report?.changes.filter(({ id }) => ticked.has(id)) ?? [];
    return {
      update: changes.map(({ id, version }) => ({ id, version })),
      add: report?.new_families.map(({ line }) => line) ?? [],
    };
  }

  async function run(dryRun: boolean, as = encoding) {
    if (busy) return;
    if (!file && !csv.trim()) return setFailure("Please paste a table or choose a file.");
    const asked = tables.current;
    const isCurrent = () => tables.current === asked;
    setBusy(dryRun ? "check" : "import");
    setFailure(null);
    try {
      const table = file ? { file: await base64(file), ...(as ? { encoding: as } : {}) } : { csv };
      const done = await importFamilies({ ...table, dry_run: dryRun, ...(dryRun ? {} : wanted()) });
      if (!isCurrent()) return;
      setReport(done);
      setTicked(new Set());
      if (!dryRun) {
        toast({ title: "Import finished", description: outcome(done) });
        void usersChanged();
      }
    } catch (error) {
      if (!isCurrent()) return;
      if (dryRun) setReport(null);
      if (!requiresSignIn(error)) setFailure(explain(error));
    } finally {
      if (isCurrent()) setBusy(null);
    }
  }

  function readAs(next: TextEncoding) {
    setEncoding(next);
    void run(true, next);
  }

  return { csv, file, encoding, report, ticked, setTicked, busy, failure, setFailure, begin, run, readAs };
}

const outcome = ({ added, updated, skipped, differing }: ImportReport) =>
  `${number(added)} added, ${number(updated)} updated, ${number(skipped + differing)} unchanged.`;

/** Imports families from a pasted table or a file. Every change is shown before anything is saved. */
export function ImportDialog({ currency, onClose }: { currency: string; onClose: () => void }) {
  const table = useImport();
  const { csv, file, encoding, report, ticked, setTicked, busy, failure, setFailure, begin, run, readAs } = table;
  const checked = report?.dry_run ? report : null;
  const imported = report !== null && !report.dry_run;
  const { close, question } = useCloseQuestion(
    { name: file?.name ?? "The pasted table", about: "import", onClose, ownEntry: true },
    () => (csv.trim() !== "" || file !== null) && !imported,
  );
  const readIn = encoding ?? report?.source.encoding;

  return (
    <Drawer title="Import users" onClose={close}>
      <div className="grid gap-5">
        {!report && !file && !csv && <RecentImports />}
        <p className="text-muted">
          A table with column names in the first row: Name and Child, and optionally Email, Second Email, Total, Paid,
          Due Date, Type and Access. Families already here change only if you check them. “Paid” counts for new families
          only. “Type” is parent or visitor; visitors without a plan are skipped. Families on the table are approved,
          unless “Access” is “to approve” or “refused”. The only emails are those to families who were waiting for
          approval and get it here.
        </p>
        <TableSource csv={csv} file={file} disabled={busy === "import"} onTable={begin} onFailure={setFailure} />
        {file && readIn && !imported && (
          <EncodingField
            encoding={readIn}
            sample={report?.source.sample ?? []}
            busy={busy !== null}
            onChoose={readAs}
          />
        )}
        <FormMessage>{failure}</FormMessage>
        {report && (
          <ImportReportView
            report={report}
            currency={currency}
            fromFile={file !== null}
            ticked={ticked}
            onTick={setTicked}
          />
        )}
        {imported && report.id && <RecentImports only={report.id} />}
      </div>
      <ImportButtons
        checked={checked}
        ticked={ticked.size}
        imported={imported}
        busy={busy}
        onRun={(dryRun) => void run(dryRun)}
        onCancel={close}
        onClose={onClose}
      />
      {question}
    </Drawer>
  );
}

type EncodingProps = {
  encoding: TextEncoding;
  sample: string[];
  busy: boolean;
  onChoose: (encoding: TextEncoding) => void;
};

const EncodingField = ({ encoding, sample, busy, onChoose }: EncodingProps) => (
  <Field label="Text encoding" hint={<Sample values={sample} />}>
    <Select value={encoding} disabled={busy} onChange={(event) => onChoose(event.target.value as TextEncoding)}>
      {Object.entries(encodings).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </Select>
  </Field>
);

type ButtonsProps = {
  checked: ImportReport | null;
  /** How many changes are ticked. */
  ticked: number;
  imported: boolean;
  busy: "check" | "import" | null;
  onRun: (dryRun: boolean) => void;
  onCancel: () => void;
  onClose: () => void;
};

const ImportButtons = ({ checked, ticked, imported, busy, onRun, onCancel, onClose }: ButtonsProps) => (
  <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 flex flex-wrap justify-end gap-3 border-t border-line bg-paper px-5 py-3">
    {imported ? (
      <Button onClick={onClose}>Done</Button>
    ) : (
      <>
        <Button look="line" onClick={onCancel}>
          Cancel
        </Button>
        <Button look={checked ? "line" : "main"} busy={busy === "check"} onClick={() => onRun(true)}>
          {busy === "check" ? "Checking..." : checked ? "Check again" : "Check the table"}
        </Button>
        {checked && checked.added + ticked > 0 && (
          <Button busy={busy === "import"} onClick={() => onRun(false)}>
            {busy === "import" ? "Importing..." : action(checked.added, ticked)}
          </Button>
        )}
      </>
    )}
  </div>
);

type Table = { csv?: string; file?: File | null };
type SourceProps = {
  csv: string;
  file: File | null;
  disabled: boolean;
  onTable: (table: Table) => void;
  onFailure: (failure: string) => void;
};

/** The table, as a file or pasted text. */
function TableSource({ csv, file, disabled, onTable, onFailure }: SourceProps) {
  const input = useRef<HTMLInputElement>(null);

  function choose(chosen: File | undefined) {
    if (!chosen) return;
    if (chosen.size > largest) onFailure("The file is larger than 5 MB. Please split it.");
    else onTable({ file: chosen });
    if (input.current) input.current.value = "";
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <input
          ref={input}
          type="file"
          accept=".xlsx,.csv,.txt,.json,text/csv,text/plain"
          aria-label="Excel or CSV file"
          onChange={(event) => choose(event.target.files?.[0])}
          className="peer sr-only"
          tabIndex={-1}
        />
        <Button look="line" icon="up" ref={focusOnMount} disabled={disabled} onClick={() => input.current?.click()}>
          {file ? "Choose another file" : "Choose an Excel or CSV file"}
        </Button>
        {file && (
          <>
            <bdi className="min-w-0 text-sm break-all text-muted">{file.name}</bdi>
            <Button look="quiet" disabled={disabled} onClick={() => onTable({ file: null })} className="-ms-2.5">
              Remove
            </Button>
          </>
        )}
      </div>
      {!file && (
        <Field label="Or paste the table">
          <TextArea
            dir="ltr"
            rows={7}
            spellCheck={false}
            disabled={disabled}
            placeholder={"Name,Child,Email,Total,Due Date\nChaya Lindenfeld,Yanky,chaya@family.example,2800,2027-06-01"}
            value={csv}
            onChange={(event) => onTable({ csv: event.target.value })}
            className="font-mono text-sm whitespace-pre"
          />
        </Field>
      )}
    </>
  );
}

function action(added: number, changed: number) {
  if (added === 0) return `Change ${count(changed, "family", "families")}`;
  return `Import ${count(added, "family", "families")}${changed > 0 ? `, change ${number(changed)}` : ""}`;
}

const Sample = ({ values }: { values: string[] }) =>
  values.length > 0 ? (
    <>
      For example:{" "}
      {values.map((value, i) => (
        <span key={value}>
          {i > 0 && ", "}
          <bdi className="font-medium text-ink">{value}</bdi>
        </span>
      ))}
      . If this looks wrong, choose another.
    </>
  ) : (
    "The table has plain letters only."
  );

/** Sends the bytes unchanged, because the server detects the encoding. */
async function base64(file: File) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
