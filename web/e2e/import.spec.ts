import type { Page } from "@playwright/test";
import type { components } from "../src/api/schema.gen";
import { call, expect, staff, test, toast } from "./support/camp";
import { workbook } from "./support/workbook";

type Schemas = components["schemas"];

const families = async (page: Page) =>
  (await call<{ items: Schemas["FamilyRow"][] }>(page.request, "GET", "/api/admin/users?sort=name")).items.map(
    ({ full_name, plan }) => `${full_name} ${(plan?.total_amount ?? 0) / 100}`,
  );

/** Hebrew text in the encoding that Excel on Hebrew Windows uses for CSV. */
const windows1255 = (text: string) =>
  Buffer.from(
    [...text].map((letter) =>
      letter >= "א" && letter <= "ת" ? letter.charCodeAt(0) - 0x5d0 + 0xe0 : letter.charCodeAt(0),
    ),
  );

test("an office imports its Excel files, ticks what may change, and undoes the import", async ({ page, camp }) => {
  await staff(page, camp, "brayndl", "owner");
  await page.goto("/admin/users?action=import");
  const drawer = page.getByRole("dialog", { name: "Import users" });
  const choose = (name: string, buffer: Buffer) =>
    drawer.getByLabel("Excel or CSV file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });

  await test.step("a CSV in Windows-1255 keeps its letters", async () => {
    await choose(
      "families.csv",
      windows1255(
        "Name,Child,Email,Total\nשרה צענער,פיני,sara@family.example,2800\nבלומא יארמוש,ליפא,bluma@family.example,1500\n",
      ),
    );
    await drawer.getByRole("button", { name: "Check the table" }).click();
    await expect(drawer.getByLabel("Text encoding")).toHaveValue("windows-1255");
    await expect(drawer.getByText(/^For example: /)).toContainText("שרה צענער");
    // With another encoding the names are garbled, which the preview shows before anything is saved.
    await drawer.getByLabel("Text encoding").selectOption("windows-1252");
    await expect(drawer.getByText(/^For example: /)).not.toContainText("שרה");
    await drawer.getByLabel("Text encoding").selectOption("windows-1255");
    await expect(drawer.getByText(/^For example: /)).toContainText("שרה צענער");
    await drawer.getByRole("button", { name: "Import 2 families" }).click();
    await expect(toast(page)).toContainText("2 added, 0 updated, 0 unchanged.");
    await drawer.getByRole("button", { name: "Done" }).click();
    expect(await families(page)).toEqual(["בלומא יארמוש 1500", "שרה צענער 2800"]);
  });

  const due = new Date("2027-06-01T00:00:00Z");
  await test.step("a workbook shows before and after, and changes only what is ticked", async () => {
    await page.getByRole("button", { name: "Import" }).first().click();
    await choose(
      "families.xlsx",
      workbook([
        ["Name", "Child", "Email", "Total", "Due Date"],
        ["שרה צענער", "פיני", "sara@family.example", 1400, due],
        ["בלומא שטיין", "ליפא", "bluma@family.example", 1500, ""],
        ["Cirel Xylander", "Motty", "", 900.5, due],
      ]),
    );
    await drawer.getByRole("button", { name: "Check the table" }).click();
    const sara = drawer.getByRole("table", { name: "What would change for שרה צענער" });
    await expect(sara.getByRole("row").nth(1)).toHaveText(/Total\s*\$2,800\s*\$1,400/);
    await expect(sara.getByRole("row").nth(2)).toHaveText(/Due date\s*None\s*Jun 1, 2027/);
    await expect(drawer.getByRole("table", { name: "What would change for בלומא יארמוש" })).toContainText(
      "בלומא שטיין",
    );
    await expect(drawer.getByRole("checkbox", { checked: true })).toHaveCount(0);
    await drawer.getByRole("checkbox", { name: /^שרה צענער/ }).check();
    expect(
      await drawer.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
      "only what is under the title scrolls",
    ).toBe(0);
    await expect(drawer.getByRole("button", { name: "Close" })).toBeInViewport();
    await drawer.getByRole("button", { name: "Import 1 family, change 1" }).click();
    await expect(toast(page)).toContainText("1 added, 1 updated, 1 unchanged.");
    expect(await families(page)).toEqual(["Cirel Xylander 900.5", "בלומא יארמוש 1500", "שרה צענער 1400"]);
  });

  await test.step("one button undoes it, for a day", async () => {
    await drawer.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Import" }).first().click();
    const recent = drawer.getByRole("region", { name: "Imports of the last day" });
    await expect(recent.getByRole("listitem")).toHaveCount(2);
    await recent.getByRole("listitem").first().getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo the import" }).click();
    await expect(toast(page)).toContainText("1 removed, 1 restored, 0 left as they are.");
    await expect(recent.getByRole("listitem").first()).toContainText("Undone");
    expect(await families(page)).toEqual(["בלומא יארמוש 1500", "שרה צענער 2800"]);
    expect(await camp.mails()).toEqual([]);
  });
});
