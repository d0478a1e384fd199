import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open, refuse, server } from "../../test/portal";
import { address } from "../../test/reports-page";
import { onDuty } from "../../test/staff";
import type { AdminComment } from "./queries";

const spoken = (change: Partial<AdminComment>): AdminComment => ({
  id: "c1",
  author_name: "Rivky Brachfeld",
  content: "Rude.",
  created_at: "2026-07-30T01:00:00Z",
  mine: false,
  held: false,
  hidden: false,
  reports: 0,
  reasons: [],
  video_id: "v1",
  video_title: "Color War breaks out",
  ...change,
});
const rude = spoken({
  reports: 1,
  reasons: [{ category: "unkind", reason: "It hurts others", created_at: "2026-07-30T01:05:00Z" }],
});
const ruder = spoken({ id: "c2", content: "Ruder.", reports: 1, video_id: "v2", video_title: "Swim relay" });
const waiting = spoken({ id: "c3", content: "My first.", author_name: "Moshe Adler", held: true });

const counts = { to_review: 3, reported: 2, held: 1, hidden: 4, all: 80 };

const queue = (answers: Record<string, unknown> = {}) =>
  server({
    ...onDuty,
    "GET /api/admin/comments": list(rude, ruder, waiting),
    "GET /api/admin/comments/counts": counts,
    ...answers,
  });

const contents = () =>
  within(screen.getByRole("list", { name: "To review" }))
    .getAllByRole("listitem")
    .map((item) => /Ruder|Rude|My first/.exec(item.textContent)?.[0]);
const current = () => document.querySelector("[aria-current=true]:is(li)")?.textContent;

describe("the queue of comments", () => {
  it("lists the waiting comments on all videos, with the reason, the video and their number", async () => {
    const camp = queue();
    open("/admin/comments");
    expect(await screen.findByText("It hurts others")).toBeTruthy();
    expect(contents()).toEqual(["Rude", "Ruder", "My first"]);
    expect(screen.getByRole("link", { name: "Swim relay" }).getAttribute("href")).toBe("/video/v2");
    expect(screen.getByText(/Reported ones come first/)).toBeTruthy();
    const filter = within(screen.getByRole("group", { name: "Filter comments" }));
    await waitFor(() => expect(filter.getByRole("button", { name: /^To review/ }).textContent).toContain("3"));
    expect(camp.asked("GET", "/api/admin/comments")[0]?.query).toEqual({ filter: "to_review", limit: "100" });
    expect(screen.getAllByRole("link", { name: /^Comments\s*2\s*to review/ }).length).toBeGreaterThan(0);
  });

  it("filters and searches in the address", async () => {
    const camp = queue();
    const user = open("/admin/comments?filter=hidden");
    await screen.findByText("Staff hid these from families.");
    await user.click(screen.getByRole("button", { name: /^All/ }));
    expect(address()).toBe("/admin/comments?filter=all");
    await user.type(screen.getByRole("searchbox", { name: "Search comments" }), "moshe{Enter}");
    await waitFor(() => expect(address()).toBe("/admin/comments?filter=all&q=moshe"));
    await waitFor(() =>
      expect(camp.asked("GET", "/api/admin/comments").at(-1)?.query).toEqual({
        filter: "all",
        q: "moshe",
        limit: "100",
      }),
    );
    expect(camp.asked("GET", "/api/admin/comments/counts").at(-1)?.query).toEqual({ q: "moshe" });
  });

  it("is worked by keys: keep, hide, undo, approve, until nothing is left", async () => {
    const camp = queue({
      "PUT /api/admin/comments/c1/kept": null,
      "DELETE /api/admin/comments/c1/kept": null,
      "POST /api/admin/comments/c2/hide": null,
      "POST /api/admin/comments/c3/approve": null,
    });
    const user = open("/admin/comments");
    await screen.findByText("It hurts others");
    await user.keyboard("a");
    expect(camp.asked("PUT", "/api/admin/comments/c1/kept")).toHaveLength(0);
    await user.keyboard("jjk");
    await waitFor(() => expect(current()).toContain("Rude."));
    expect(document.activeElement?.textContent).toContain("Rude.");

    camp.answer("GET /api/admin/comments", list(ruder, waiting));
    await user.keyboard("a");
    expect(await screen.findByText(/^Comment kept/)).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Ruder."));

    camp.answer("GET /api/admin/comments", list(rude, ruder, waiting));
    await user.keyboard("u");
    await waitFor(() => expect(document.activeElement?.textContent).toContain("It hurts others"));
    expect(camp.asked("DELETE", "/api/admin/comments/c1/kept")).toHaveLength(1);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();

    await user.keyboard("j");
    camp.answer("GET /api/admin/comments", list(waiting));
    await user.keyboard("h");
    expect(await screen.findByText(/^Comment hidden/)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/comments/c2/hide")).toHaveLength(1);
    await waitFor(() => expect(document.activeElement?.textContent).toContain("My first."));

    camp.answer("GET /api/admin/comments", list());
    await user.keyboard("a");
    expect(await screen.findByText("Nothing to review", { selector: "p" })).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/comments/c3/approve")).toHaveLength(1);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });

  it("undoes the newest decision, not an earlier one, and decides once while a key is held", async () => {
    let hidden = () => {};
    const camp = queue({
      "PUT /api/admin/comments/c1/kept": null,
      "DELETE /api/admin/comments/c1/kept": null,
      "POST /api/admin/comments/c2/hide": () => new Promise<null>((done) => (hidden = () => done(null))),
      "POST /api/admin/comments/c2/show": null,
    });
    const user = open("/admin/comments");
    await screen.findByText("It hurts others");
    await user.keyboard("j");
    camp.answer("GET /api/admin/comments", list(ruder, waiting));
    await user.keyboard("{a>3/}");
    expect(await screen.findByText(/^Comment kept/)).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Ruder."));
    await user.keyboard("h");
    await waitFor(() => expect(camp.asked("POST", "/api/admin/comments/c2/hide")).toHaveLength(1));
    await user.keyboard("u");
    hidden();
    await waitFor(() => expect(camp.asked("POST", "/api/admin/comments/c2/show")).toHaveLength(1));
    expect(camp.asked("DELETE", "/api/admin/comments/c1/kept")).toHaveLength(0);
    expect(camp.asked("PUT", "/api/admin/comments/c1/kept")).toHaveLength(1);
    expect(camp.asked("PUT", "/api/admin/comments/c2/kept")).toHaveLength(0);
  });

  it("undoes by key only in the list, or where the last row is gone", async () => {
    const camp = queue({
      "PUT /api/admin/comments/c1/kept": null,
      "DELETE /api/admin/comments/c1/kept": null,
    });
    const user = open("/admin/comments");
    await screen.findByText("It hurts others");
    await user.keyboard("j");
    camp.answer("GET /api/admin/comments", list(ruder));
    await user.keyboard("a");
    await waitFor(() => expect(document.activeElement?.textContent).toContain("Ruder."));
    screen.getByRole("button", { name: "Dismiss" }).focus();
    await user.keyboard("u");
    await user.keyboard("j");
    expect(document.activeElement?.textContent).toContain("Ruder.");
    expect(camp.asked("DELETE", "/api/admin/comments/c1/kept")).toHaveLength(0);

    camp.answer("GET /api/admin/comments", list(rude, ruder));
    await user.keyboard("u");
    await waitFor(() => expect(camp.asked("DELETE", "/api/admin/comments/c1/kept")).toHaveLength(1));
    await waitFor(() => expect(contents()).toEqual(["Rude", "Ruder"]));

    camp.answer("GET /api/admin/comments", list());
    await user.keyboard("a");
    expect(await screen.findByText("Nothing to review", { selector: "p" })).toBeTruthy();
    await user.keyboard("u");
    await waitFor(() => expect(camp.asked("DELETE", "/api/admin/comments/c1/kept")).toHaveLength(2));
  });

  it("asks before it deletes, and keys leave fields and dialogs alone", async () => {
    const camp = queue({ "DELETE /api/admin/comments/c1": null });
    const user = open("/admin/comments");
    await screen.findByText("It hurts others");
    await user.type(screen.getByRole("searchbox", { name: "Search comments" }), "hand");
    expect(camp.asked("POST", "/api/admin/comments/c1/hide")).toHaveLength(0);
    await user.clear(screen.getByRole("searchbox", { name: "Search comments" }));
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("jd");
    const dialog = within(await screen.findByRole("dialog", { name: "Delete the comment by Rivky Brachfeld?" }));
    await user.keyboard("h");
    expect(camp.asked("POST", "/api/admin/comments/c1/hide")).toHaveLength(0);
    camp.answer("GET /api/admin/comments", list(ruder, waiting));
    await user.click(dialog.getByRole("button", { name: "Delete comment" }));
    expect(await screen.findByText("Comment deleted")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/comments/c1")).toHaveLength(1);
    await waitFor(() => expect(contents()).toEqual(["Ruder", "My first"]));
  });

  it("says why a decision failed, and leaves the comment where it is", async () => {
    queue({ "PUT /api/admin/comments/c1/kept": refuse(404, "not_found", "This comment no longer exists.") });
    const user = open("/admin/comments");
    await user.click((await screen.findAllByRole("button", { name: /^Keep/ }))[0]!);
    expect(await screen.findByText("This comment no longer exists.")).toBeTruthy();
    expect(contents()).toEqual(["Rude", "Ruder", "My first"]);
  });

  it("does not keep a comment with a report that nobody has seen, but shows the report", async () => {
    const again = "Another reader just reported this comment. Please look again.";
    const camp = queue({ "PUT /api/admin/comments/c1/kept": refuse(409, "conflict", again) });
    const user = open("/admin/comments");
    await screen.findByText("It hurts others");
    const second = { category: "private", reason: "Names our street", created_at: "2026-07-30T01:09:00Z" } as const;
    camp.answer(
      "GET /api/admin/comments",
      list({ ...rude, reports: 2, reasons: [...rude.reasons, second] }, ruder, waiting),
    );
    await user.click(screen.getAllByRole("button", { name: /^Keep/ })[0]!);
    expect(await screen.findByText(again)).toBeTruthy();
    expect(await screen.findByText("Names our street")).toBeTruthy();
    camp.answer("PUT /api/admin/comments/c1/kept", null);
    await user.click(screen.getAllByRole("button", { name: /^Keep/ })[0]!);
    expect(await screen.findByText(/^Comment kept/)).toBeTruthy();
    expect(camp.asked("PUT", "/api/admin/comments/c1/kept").map(({ body }) => body)).toEqual([
      { reported_until: "2026-07-30T01:05:00Z" },
      { reported_until: "2026-07-30T01:09:00Z" },
    ]);
  });
});
