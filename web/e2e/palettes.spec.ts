import type { components } from "../src/api/schema.gen";
import { call, expect, staff, test } from "./support/camp";
import type { Page } from "@playwright/test";

type Schemas = components["schemas"];

const twenty = Array.from({ length: 20 }, (_, i) => {
  const color = (hue: number, lightness: number) => {
    const part = (n: number) => {
      const k = (n + hue / 30) % 12;
      const value = lightness - 0.7 * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
      return Math.round(255 * value)
        .toString(16)
        .padStart(2, "0");
    };
    return `#${part(0)}${part(8)}${part(4)}`;
  };
  // The colors go from dark to pale, all around the color wheel.
  return { mainColor: color(i * 18, 0.15 + (i % 5) * 0.17), accentColor: color(i * 18 + 120, 0.85 - (i % 5) * 0.17) };
});

/** Creates a family for each payment status. */
async function families(page: Page) {
  const year = new Date().getFullYear();
  const plans = {
    "Paid Katz": { total_amount: 10_000 },
    "Due Katz": { total_amount: 10_000, due_date: `${year + 1}-06-01` },
    "Late Katz": { total_amount: 10_000, due_date: `${year - 1}-06-01` },
  };
  for (const [i, [full_name, plan]] of Object.entries(plans).entries()) {
    const { id, version } = await call<Schemas["FamilyRow"]>(page.request, "POST", "/api/admin/users", {
      full_name,
      email: `katz${i}@family.example`,
      child_name: "Lipa",
    });
    await call(page.request, "PATCH", `/api/admin/users/${id}`, { version, ...plan });
    if (full_name !== "Paid Katz") continue;
    const site = await call<{ today: string }>(page.request, "GET", "/api/site");
    const response = await page.request.post(`/api/admin/users/${id}/payments`, {
      data: { kind: "payment", amount: 10_000, payment_date: site.today },
      headers: { "Idempotency-Key": crypto.randomUUID(), "Sec-Fetch-Site": "same-origin" },
    });
    expect(response.ok(), await response.text()).toBe(true);
  }
}

const states = ["Paid in Full", "Payment Due", "Overdue"];

/** The colors of the badges, and of the parts that follow the palette. */
async function colors(page: Page) {
  const rows = page.getByRole("table", { name: "Users" });
  await expect(rows.getByText("Overdue").last()).toBeVisible();
  return rows.evaluate((table, names) => {
    const all = [...table.querySelectorAll("td span")];
    const look = (element: Element) =>
      `${getComputedStyle(element).color} on ${getComputedStyle(element).backgroundColor}`;
    const badges = names.map((name) => look(all.findLast((one) => one.textContent === name)!));
    const button = [...document.querySelectorAll("main button")].find((one) => one.textContent?.includes("Add New"))!;
    return { badges, button: getComputedStyle(button).backgroundColor };
  }, states);
}

test("status colors stay the same under twenty palettes, in both themes", async ({ page, camp }) => {
  await staff(page, camp, "miriam", "owner");
  await families(page);
  const built: Record<string, Awaited<ReturnType<typeof colors>>> = {};
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto("/admin/users");
    built[colorScheme] = await colors(page);
    expect(new Set(built[colorScheme].badges).size, "each state has its own color").toBe(states.length);
  }
  const buttons = new Set<string>();
  for (const palette of twenty) {
    await call(page.request, "PATCH", "/api/admin/settings", palette);
    await page.reload();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const { badges, button } = await colors(page);
      expect(badges, `${colorScheme} ${JSON.stringify(palette)}`).toEqual(built[colorScheme]!.badges);
      expect(button).not.toBe(built[colorScheme]!.button);
      if (colorScheme === "light") buttons.add(button);
    }
  }
  expect(buttons.size, "the palettes differ").toBe(twenty.length);
});

test("checkboxes and radio buttons follow the palette in both themes", async ({ page, camp }) => {
  await staff(page, camp, "miriam", "owner");
  await call(page.request, "PATCH", "/api/admin/settings", { mainColor: "#7a1f5c" });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [path, role] of [
      ["/admin/reports?action=upload", "checkbox"],
      ["/admin/messages?view=newsletters", "radio"],
    ] as const) {
      await page.goto(path);
      const control = page.getByRole("main").getByRole(role).first();
      await control.check();
      const [ground, pine] = await control.evaluate((element) => {
        const probe = document.createElement("i");
        probe.style.color = "var(--color-pine)";
        document.body.append(probe);
        return [getComputedStyle(element).backgroundColor, getComputedStyle(probe).color];
      });
      expect(ground, `${role}, ${colorScheme}`).toBe(pine);
    }
  }
});
