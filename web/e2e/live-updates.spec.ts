import { account, call, expect, parent, posted, staff, test, toast, told } from "./support/camp";
import { pause } from "./support/portal";
import type { Page } from "@playwright/test";

const news = (page: Page) => page.getByRole("region", { name: "Live updates" });
const titles = (page: Page) => news(page).getByRole("heading", { level: 3 });

/** Records when each text first appears on the page, and all toasts. */
async function witness(page: Page) {
  await page.addInitScript(() => {
    const seen: { at: Record<string, number>; toasts: string[] } = { at: {}, toasts: [] };
    Object.assign(window, { seen });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          if (!(node instanceof HTMLElement)) continue;
          const text = node.innerText;
          if (node.closest("[aria-label=Notifications]") && node.matches("li")) seen.toasts.push(text);
          for (const [word] of text.matchAll(/News? \d+/g)) seen.at[word] ??= Date.now();
        }
      }
    }).observe(document, { childList: true, subtree: true });
  });
  return async () =>
    page.evaluate(() => (window as unknown as { seen: { at: Record<string, number>; toasts: string[] } }).seen);
}

/** Waits until the page's event stream is connected. */
const listening = (page: Page) =>
  page.waitForResponse((response) => response.url().includes("/api/events") && response.ok());

test("what staff post appears on another page at once, and an outage neither loses nor repeats anything", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  const seen = await witness(page);
  const line = listening(page);
  await page.goto("/");
  await line;
  await expect(news(page).getByText("No updates right now")).toBeVisible();

  await test.step("as soon as the server has it; alone on a quiet machine that takes less than a second", async () => {
    await desk.goto("/admin/live-updates");
    const late: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const answered = await desk.evaluate(async (title) => {
        const answer = await fetch("/api/admin/live-updates", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ title, message: "More at supper.", author: "Camp office" }),
        });
        if (!answer.ok) throw new Error(await answer.text());
        return Date.now();
      }, `News ${n}`);
      await expect(titles(page).first()).toHaveText(`News ${n}`);
      await expect(toast(page)).toContainText(`News ${n}`);
      late.push((await seen()).at[`News ${n}`]! - answered);
    }
    expect(late.toSorted((a, b) => a - b)[2], `milliseconds: ${late.join(", ")}`).toBeLessThan(10_000);
    await expect(toast(page)).toContainText("New Visiting Day Camp Update!");
  });

  await test.step("the network is away for longer than between two heartbeats", async () => {
    await page.context().setOffline(true);
    await expect(page.getByText("You are offline. This page may be out of date.")).toBeVisible();
    const lost: { id: string; version: number }[] = [];
    for (let n = 6; n <= 8; n++) lost.push(await told(desk, { title: `News ${n}` }));
    await call(desk.request, "PATCH", `/api/admin/live-updates/${lost[1]!.id}`, {
      version: lost[1]!.version,
      is_active: false,
    });
    await posted(desk, { title: "Grand Siyum" });
    await pause(20_000);
    await expect(titles(page).first()).toHaveText("News 5");
  });

  await test.step("the network is back: everything arrives once and in order", async () => {
    await page.context().setOffline(false);
    await expect(titles(page).first()).toHaveText("News 8");
    await expect(page.getByRole("link", { name: "Grand Siyum" }).first()).toBeVisible();
    await news(page).getByRole("button", { name: "Show All Updates (5 more)" }).click();
    await expect(titles(page)).toHaveText(["News 8", "News 6", "News 5", "News 4", "News 3", "News 2", "News 1"]);
    await told(desk, { title: "News 9" });
    await expect(titles(page).first()).toHaveText("News 9");
    await expect(toast(page)).toContainText("News 9");
    const heard = (await seen()).toasts.flatMap((text) => /News \d+/.exec(text)?.[0] ?? []);
    expect(heard.filter((title) => title !== "News 7")).toEqual([
      "News 1",
      "News 2",
      "News 3",
      "News 4",
      "News 5",
      "News 6",
      "News 8",
      "News 9",
    ]);
  });
});

test("an update is shown, corrected, hidden, shown again and deleted on every open page, and mailed once", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  const reader = await somebody();
  await staff(desk, camp);
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  await call(page.request, "PATCH", "/api/profile", { camp_updates_email: true });
  await page.goto("/");
  await expect(news(page).getByText("No updates right now")).toBeVisible();

  await desk.goto("/admin/live-updates?action=create");
  await desk.getByLabel("Title").fill("Buses leave at 5");
  await desk.getByLabel("Message").fill("Not at four, as the paper says.");
  await desk.getByLabel("Author").fill("Camp office");
  await desk.getByLabel("Priority", { exact: true }).selectOption("High");
  await desk.getByRole("button", { name: /^Post update to 1 person/ }).click();
  await expect(toast(desk)).toContainText("Live Update Posted!");
  await expect(toast(desk)).toContainText("Your update has been posted and parents will be notified.");

  const card = news(page).getByRole("listitem");
  await expect(card).toContainText("Buses leave at 5");
  for (const words of ["Just now", "High Priority", "New", "Posted by Camp office"])
    await expect(card).toContainText(words);
  const mail = await camp.mailTo("chaya@family.example", /Buses leave at 5/);
  expect(mail.text).toContain("Not at four, as the paper says.");

  await card.getByRole("link", { name: "Buses leave at 5" }).click();
  await expect(page.getByRole("heading", { name: "Buses leave at 5", level: 1 })).toBeVisible();
  await reader.goto("/updates");
  await expect(reader.getByRole("listitem").filter({ hasText: "Buses" })).toBeVisible();

  const {
    items: [update],
  } = await call<{ items: { id: string; version: number }[] }>(desk.request, "GET", "/api/admin/live-updates");
  const change = async (by: object) => {
    const { version } = await call<{ items: { version: number }[] }>(
      desk.request,
      "GET",
      "/api/admin/live-updates",
    ).then(({ items }) => items[0]!);
    await call(desk.request, "PATCH", `/api/admin/live-updates/${update!.id}`, { version, ...by });
  };
  await change({ title: "Buses leave at 6" });
  await expect(page.getByRole("heading", { name: "Buses leave at 6", level: 1 })).toBeVisible();
  await expect(reader.getByRole("link", { name: "Buses leave at 6" })).toBeVisible();

  await change({ is_active: false });
  await expect(page.getByRole("heading", { name: "This update was removed" })).toBeVisible();
  await expect(page.locator("main")).not.toContainText("Buses");
  await expect(reader.getByText("No updates right now")).toBeVisible();

  await change({ is_active: true });
  await expect(page.getByRole("heading", { name: "Buses leave at 6", level: 1 })).toBeVisible();
  await expect(reader.getByRole("link", { name: "Buses leave at 6" })).toBeVisible();

  await call(desk.request, "DELETE", `/api/admin/live-updates/${update!.id}`);
  await expect(page.getByRole("heading", { name: "This update was removed" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "This update was removed" })).toBeVisible();
  await page.goto("/updates/00000000-0000-7000-8000-000000000000");
  await expect(page.getByRole("heading", { name: "Update not found" })).toBeVisible();
  expect(await camp.mailsTo("chaya@family.example", /Buses/)).toHaveLength(1);
});

test("an open page survives a new version of the server", async ({ page, camp, somebody }) => {
  const desk = await somebody();
  await staff(desk, camp);
  await parent(page, camp, { name: "Chaya Feder", email: "chaya@family.example" });
  const film = await posted(desk, { title: "Campfire" });
  const line = listening(page);
  await page.goto(`/video/${film.id}`);
  await line;
  await page.getByLabel("Your comment").fill("Typed before");
  await camp.restart(3_000);
  await page.getByRole("button", { name: "Post comment" }).click();
  await expect(page.getByRole("region", { name: "Comments" }).getByRole("listitem")).toContainText("Typed before");
  await expect(account(page, "Chaya Feder"), "the session is still hers").toBeVisible();
  await told(desk, { title: "Buses leave at 5" });
  await expect(toast(page), "the line stands again").toContainText("Buses leave at 5");
});

test("updates grow older on an open page without a reload, and the full list loads in parts", async ({
  page,
  camp,
  somebody,
}) => {
  const desk = await somebody();
  await staff(desk, camp);
  await told(desk, { title: "Package room", priority: "low" });
  const { created_at } = await told(desk, { title: "שבת קודש", message: "גוט שבת", priority: "high" });
  await page.goto("/");
  const first = news(page).getByRole("listitem").first();
  const now = Date.parse(created_at);
  for (const [minutes, age, fresh] of [
    [0, "Just now", true],
    [2, "1 minute ago", true],
    [61, "1 hour ago", true],
    [119, "1 hour ago", true],
    [122, "2 hours ago", false],
    [24 * 60 + 2, "1 day ago", false],
    [10 * 24 * 60, "9 days ago", false],
  ] as const) {
    await page.clock.setFixedTime(now + minutes * 60_000 - 30_000);
    await page.reload();
    await expect(first.locator("time"), `${minutes} minutes`).toHaveText(age);
    await expect(first.getByText("New", { exact: true })).toHaveCount(fresh ? 1 : 0);
    await expect(first.getByText("High Priority")).toBeVisible();
  }

  for (let n = 1; n <= 21; n++) await told(desk, { title: `Bunk ${n} won` });
  await page.goto("/updates");
  const all = page.getByRole("main").getByRole("listitem");
  await expect(all).toHaveCount(20);
  await page.getByRole("button", { name: "Load more updates" }).click();
  await expect(all).toHaveCount(23);
  await expect(all.last()).toContainText("Package room");
  await expect(page.getByRole("button", { name: "Load more updates" })).toBeHidden();

  await page.goto("/");
  await expect(titles(page)).toHaveText(["Bunk 21 won", "Bunk 20 won"]);
  await news(page).getByRole("button", { name: "Show All Updates (8 more)" }).click();
  await expect(titles(page)).toHaveCount(10);
  await news(page).getByRole("button", { name: "Show Less" }).click();
  await expect(titles(page)).toHaveCount(2);
  await news(page).getByRole("link", { name: "All updates" }).click();
  await expect(page.getByRole("heading", { name: "Live Updates", level: 1 })).toBeVisible();
});
