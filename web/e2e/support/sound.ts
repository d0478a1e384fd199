import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare global {
  interface Window {
    axe: typeof import("axe-core");
  }
}

/** The narrowest phone, and a laptop window at 200% zoom. */
const narrow = [
  [320, 640, "at 320 pixels"],
  [640, 360, "at 200 %"],
] as const;

/** The axe rules that depend on the theme. */
const ofColors = { runOnly: ["color-contrast", "link-in-text-block"] };

/** Asserts that axe finds no violations in both themes, and that narrow screens do not scroll sideways. */
export async function isSound(page: Page, what: string) {
  await page.waitForLoadState("networkidle");
  // A list is pale while it waits for the response to a new filter.
  await expect(page.locator("div[aria-busy=true]"), what).toHaveCount(0);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const options = { resultTypes: ["violations" as const], ...(colorScheme === "dark" ? ofColors : {}) };
    const results: AxeResults = await page.evaluate(
      (chosen) => window.axe.run({ exclude: ["iframe"] }, chosen),
      options,
    );
    const violations = results.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" … ")}`,
    );
    expect.soft(violations, `${what}, ${colorScheme}`).toEqual([]);
  }
  await hasRoom(page, what);
}

/** Asserts that narrow screens do not scroll sideways; names the elements that overflow. */
export async function hasRoom(page: Page, what: string) {
  const size = page.viewportSize();
  for (const [width, height, where] of narrow) {
    await page.setViewportSize({ width, height });
    const wide = await page.evaluate(() => {
      const rooms = [document.documentElement, ...document.querySelectorAll("dialog[open], dialog[open] > *")];
      return rooms
        .filter((room) => room.scrollWidth > room.clientWidth)
        .flatMap((room) => {
          const edge = room.getBoundingClientRect().left + room.clientWidth + 1;
          const all = [...room.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > edge);
          return [room, ...all].slice(0, 4).map((element) => element.outerHTML.slice(0, 200));
        });
    });
    expect.soft(wide, `${what} ${where}`).toEqual([]);
  }
  await page.setViewportSize(size!);
}
