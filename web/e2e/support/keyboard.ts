import { expect, type Locator, type Page } from "@playwright/test";

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator, key = "Tab") {
  await target.waitFor();
  for (let n = 0; n < 90; n++) {
    await page.keyboard.press(key);
    const here = await target.evaluate((element) => element === document.activeElement);
    if (here) return expect(target, "the focus can be seen").toHaveCSS("outline-style", /solid|auto/);
  }
  throw new Error("The keyboard does not lead there.");
}
