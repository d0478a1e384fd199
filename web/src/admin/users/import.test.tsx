import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { detail, family, leah, summary } from "../../test/families";
import { list, open, server } from "../../test/portal";
import { onDuty } from "../../test/staff";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./users";

// These tests are long, and the machine may be busy.
vi.setConfig({ testTimeout: 20_000 });

const before = {
  full_name: "Chaya Lindenfeld",
  child_name: "Yanky",
  email: "chaya@family.example",
  secondary_email: null,
  total_amount: 280_000,
  due_date: null,
  user_type: "parent",
  standing: "waiting",
};
const change = (id: string, version: number) => ({
  line: 2,
  id,
  version,
  outcome: "differs",
  fields: ["full_name", "total_amount", "standing"],
  before,
  after: { ...before, full_name: "Chaya Weiss", total_amount: 140_000, standing: "approved" },
});
const fresh = (line: number) => ({
  line,
  full_name: "New",
  child_name: "Leib",
  email: null,
  secondary_email: null,
  total_amount: 280_000,
  due_date: null,
  paid_amount: 0,
  namesake_email: null,
});
const source = {
  format: "csv",
  encoding: "utf-8",
  guessed: false,
  sample: [],
  worksheet: null,
  other_worksheets: [],
  above: [],
};
const report = {
  id: null,
  dry_run: true,
  rows: 3,
  added: 2,
  updated: 0,
  differing: 0,
  skipped: 0,
  visitors: 0,
  unapproved: 0,
  paid_otherwise: 0,
  unknown_columns: [],
  source,
  changes: [],
  new_families: [fresh(4), fresh(5)],
  merged: [],
  problems: [] as unknown[],
};
const made = {
  id: "i1",
  created_at: "2026-07-29T10:00:00Z",
  made_by: "brayndl",
  added: 2,
  updated: 1,
  undo_until: "2026-07-30T10:00:00Z",
  undone_at: null,
};

type Asked = {
  body: { dry_run: boolean; encoding?: string; csv?: string; file?: string; update?: unknown[]; add?: number[] };
};

const office = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/users": list(family(), leah),
    "GET /api/admin/users/summary": summary,
    "GET /api/admin/users/f1": detail(),
    "GET /api/admin/users/imports": { items: [], next: null },
    ...answers,
  });
const drawer = async () => within(await screen.findByRole("dialog", { name: "Import users" }));

describe("the import of families", () => {
  it("adds the rows of a pasted table after a check", async () => {
    const problems = [{ line: 3, column: "email", message: "Please enter a valid email address." }];
    const camp = office({
      "POST /api/admin/users/import": ({ body }: Asked) => ({ ...report, problems, dry_run: body.dry_run }),
    });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    expect(dialog.getByText("Please paste a table or choose a file.")).toBeTruthy();
    await user.click(dialog.getByLabelText("Or paste the table"));
    await user.paste("Name,Child\nChaya,Yanky");
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    expect(await dialog.findByText("Please enter a valid email address.")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Import 2 families" }));
    expect(await screen.findByText("Import finished")).toBeTruthy();
    const asked = camp.asked("POST", "/api/admin/users/import").map(({ body }) => body);
    expect(asked).toEqual([
      { csv: "Name,Child\nChaya,Yanky", dry_run: true },
      { csv: "Name,Child\nChaya,Yanky", dry_run: false, update: [], add: [4, 5] },
    ]);
  });

  it("says nothing of an earlier table beside the next one", async () => {
    const answers: ((report: unknown) => void)[] = [];
    office({ "POST /api/admin/users/import": () => new Promise((done) => answers.push(done)) });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(dialog.getByLabelText("Or paste the table"));
    await user.paste("Name,Child\nFirst,Leib");
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    await waitFor(() => expect(answers).toHaveLength(1));
    await user.type(dialog.getByLabelText("Or paste the table"), "a");
    await act(async () => answers[0]!({ ...report, new_families: [fresh(4)] }));
    expect(dialog.queryByText("Show the new families")).toBeNull();
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    await waitFor(() => expect(answers).toHaveLength(2));
    await act(async () => answers[1]!({ ...report, new_families: [fresh(5)] }));
    expect(await dialog.findByText("Show the new families")).toBeTruthy();
  });

  it("shows the plan of every new family", async () => {
    const paid = { ...fresh(5), full_name: "Chaya", paid_amount: 100_000, due_date: "2027-06-01" };
    const planless = { ...fresh(6), full_name: "Zev", total_amount: null };
    office({
      "POST /api/admin/users/import": {
        ...report,
        visitors: 2,
        unapproved: 1,
        new_families: [fresh(4), paid, planless],
      },
    });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(dialog.getByLabelText("Or paste the table"));
    await user.paste("Name,Child\nNew,Leib");
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    const rows = within((await dialog.findByText("Show the new families")).parentElement!);
    expect(dialog.getByText("2 visitors are left out.")).toBeTruthy();
    expect(dialog.getByText("1 family without approval is left out.")).toBeTruthy();
    expect(rows.getAllByRole("listitem", { hidden: true }).map(({ textContent }) => textContent)).toEqual([
      "New · LeibNo Email$2,800",
      "Chaya · LeibNo Email$2,800$1,000 paidDue Jun 1, 2027",
      "Zev · LeibNo EmailNo plan",
    ]);
  });

  it("names the new families that may be here already", async () => {
    const twin = { ...fresh(5), full_name: "Chaya", email: "two@family.example", namesake_email: "one@family.example" };
    office({ "POST /api/admin/users/import": { ...report, new_families: [fresh(4), twin] } });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(dialog.getByLabelText("Or paste the table"));
    await user.paste("Name,Child\nNew,Leib");
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    const heading = await dialog.findByText("New, though a family with the same name and child is already here");
    const lines = within(heading.parentElement!).getAllByRole("listitem");
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      "Line 5: Chaya · Leib. The other family has one@family.example.",
    ]);
  });

  it("shows before and after of every family, and changes only the ticked ones", async () => {
    const changes = [change("f1", 7), { ...change("f2", 3), before: { ...before, full_name: "Leah Morgenshtern" } }];
    const camp = office({
      "POST /api/admin/users/import": ({ body }: Asked) => ({
        ...report,
        dry_run: body.dry_run,
        added: 0,
        new_families: [],
        differing: 2,
        changes,
      }),
    });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(dialog.getByLabelText("Or paste the table"));
    await user.paste("Name,Child\nChaya Weiss,Yanky");
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    const table = within(await dialog.findByRole("table", { name: "What would change for Chaya Lindenfeld" }));
    const cells = table
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.textContent);
    expect(cells).toEqual(["NameChaya LindenfeldChaya Weiss", "Total$2,800$1,400", "AccessTo approveApproved"]);
    expect(dialog.getAllByRole<HTMLInputElement>("checkbox").filter(({ checked }) => checked)).toEqual([]);
    expect(dialog.queryByRole("button", { name: /^(Import|Change) / })).toBeNull();
    await user.click(dialog.getByRole("checkbox", { name: "Check all 2" }));
    expect(dialog.getByRole("button", { name: "Change 2 families" })).toBeTruthy();
    await user.click(dialog.getByRole("checkbox", { name: /Leah Morgenshtern/ }));
    await user.click(dialog.getByRole("button", { name: "Change 1 family" }));
    expect(await screen.findByText("Import finished")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/import").at(-1)?.body).toMatchObject({
      dry_run: false,
      update: [{ id: "f1", version: 7 }],
      add: [],
    });
  });

  it("sends the bytes of a file, and reads them again as somebody chooses", async () => {
    const camp = office({
      "POST /api/admin/users/import": ({ body }: Asked) => ({
        ...report,
        source: {
          ...source,
          encoding: body.encoding ?? "windows-1252",
          guessed: true,
          sample: [body.encoding ? "שרה" : "ùøä"],
          worksheet: "Boys",
          other_worksheets: ["Girls"],
          above: ["Families of 2027"],
        },
      }),
    });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    const bytes = new Uint8Array([0x4e, 0x2c, 0xf9, 0xf8, 0xe4]);
    await user.upload(
      dialog.getByLabelText("Excel or CSV file"),
      new File([bytes], "families.csv", { type: "text/csv" }),
    );
    await user.click(dialog.getByRole("button", { name: "Check the table" }));
    expect(await dialog.findByText("ùøä")).toBeTruthy();
    expect(dialog.getByText(/^Not read: the worksheet/).textContent).toContain("“Girls”. A file is imported from one");
    expect(dialog.getByText(/stands above the column names/).textContent).toContain("“Families of 2027”.");
    await user.selectOptions(dialog.getByLabelText("Text encoding"), "Windows-1255 (Hebrew)");
    expect(await dialog.findByText("שרה")).toBeTruthy();
    const sent = btoa(String.fromCharCode(...bytes));
    expect(camp.asked("POST", "/api/admin/users/import").map(({ body }) => body)).toEqual([
      { file: sent, dry_run: true },
      { file: sent, encoding: "windows-1255", dry_run: true },
    ]);
  });

  it("undoes an import of the last day, and says what stays", async () => {
    const camp = office({
      "GET /api/admin/users/imports": { items: [made], next: null },
      "POST /api/admin/users/imports/i1/undo": {
        removed: 1,
        restored: 1,
        skipped: [{ id: "f1", full_name: "Chaya Lindenfeld", reason: "Someone has signed in as this family since." }],
      },
    });
    const user = open("/admin/users?action=import");
    const dialog = await drawer();
    await user.click(await dialog.findByRole("button", { name: "Undo" }));
    await user.click(screen.getByRole("button", { name: "Undo the import" }));
    expect(await screen.findByText("Import undone")).toBeTruthy();
    expect(dialog.getByText("Someone has signed in as this family since.", { exact: false })).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/users/imports/i1/undo")).toHaveLength(1);
  });
});
