import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { list, open } from "../../test/portal";
import { desk, row } from "../../test/reports-page";
import { adminVideo } from "../../test/staff";

describe("mail and comments of a video", () => {
  const spoken = {
    author_name: "Rivky Brachfeld",
    created_at: "2026-07-30T01:00:00Z",
    mine: false,
    held: false,
    hidden: false,
    reports: 0,
    reasons: [],
    video_id: "v1",
    video_title: "Color War breaks out",
  };
  const comments = list(
    { ...spoken, id: "c1", content: "Lovely." },
    { ...spoken, id: "c2", content: "Rude.", reports: 2 },
  );

  it("shows how the mails are doing and tries the failed ones again", async () => {
    const camp = desk({
      "GET /api/admin/videos/v1/comments": list(),
      "POST /api/admin/videos/v1/deliveries/retry": { queued: 3 },
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    expect(await screen.findByText("209")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Retry 3 failed" }));
    expect(await screen.findByText("3 emails on the way again")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/v1/deliveries/retry")).toHaveLength(1);
  });

  it("says why nothing was sent again", async () => {
    desk({
      "GET /api/admin/videos/v1/comments": list(),
      "POST /api/admin/videos/v1/deliveries/retry": { queued: 0 },
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    await user.click(await screen.findByRole("button", { name: "Retry 3 failed" }));
    expect(await screen.findByText(/^Nothing was left to send/)).toBeTruthy();
  });

  it("says how many families get it with the daily email", async () => {
    desk({
      "GET /api/admin/videos/v1/comments": list(),
      "GET /api/admin/videos/v1/deliveries": { queued: 0, collected: 2, sent: 209, failed: 0, suppressed: 0 },
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    expect(
      await screen.findByText("2 family addresses get it with the daily email, as chosen on the profile page."),
    ).toBeTruthy();
  });

  it("puts comments that wait to be read before all others, and approves them", async () => {
    const camp = desk({
      "GET /api/admin/videos": list(adminVideo({ held_comments: 1 })),
      "GET /api/admin/videos/v1/comments": list(
        { ...spoken, id: "c2", content: "Rude.", reports: 2 },
        { ...spoken, id: "c3", content: "My first.", held: true },
      ),
      "POST /api/admin/comments/c3/approve": null,
    });
    const user = open("/admin/reports");
    expect((await row(/Color War/)).getByText("1 comment to read")).toBeTruthy();
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    const drawer = within(await screen.findByRole("dialog", { name: /Color War/ }));
    const first = within((await drawer.findAllByRole("listitem"))[0]!);
    expect(first.getByText("My first.")).toBeTruthy();
    expect(drawer.getByText(/1 waits for you to read it/)).toBeTruthy();
    await user.click(first.getByRole("button", { name: /^Approve/ }));
    expect(await screen.findByText("Comment approved")).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/comments/c3/approve")).toHaveLength(1);
  });

  it("puts reported comments first, hides them and shows them again", async () => {
    const camp = desk({
      "GET /api/admin/videos/v1/comments": comments,
      "POST /api/admin/comments/c2/hide": null,
      "DELETE /api/admin/comments/c1": null,
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    await screen.findByText("Reported by 2 readers");
    const items = within(screen.getByRole("dialog")).getAllByRole("listitem");
    expect(items.map((item) => /Rude|Lovely/.exec(item.textContent)?.[0])).toEqual(["Rude", "Lovely"]);
    await user.click(within(items[0]!).getByRole("button", { name: /^Hide/ }));
    expect(await screen.findByText("Comment hidden")).toBeTruthy();
    await user.click(within(items[1]!).getByRole("button", { name: /^Delete/ }));
    await user.click(await screen.findByRole("button", { name: "Delete comment" }));
    expect(await screen.findByText("Comment deleted")).toBeTruthy();
    expect(camp.asked("DELETE", "/api/admin/comments/c1")).toHaveLength(1);
  });

  it("says why readers reported a comment, and keeps it", async () => {
    const reasons = [
      { category: "unkind", reason: "It hurts others", created_at: "2026-07-30T01:00:00Z" },
      { category: "private", reason: "", created_at: "2026-07-30T02:00:00Z" },
    ];
    const camp = desk({
      "GET /api/admin/videos/v1/comments": list({ ...spoken, id: "c2", content: "Rude.", reports: 2, reasons }),
      "PUT /api/admin/comments/c2/kept": null,
    });
    const user = open("/admin/reports");
    await user.click((await row(/Color War/)).getByRole("button", { name: /details of/ }));
    const reported = await screen.findByRole("group", { name: "What readers report" });
    expect([...reported.children].map((item) => item.textContent)).toEqual([
      expect.stringMatching(/^UnkindIt hurts others/),
      expect.stringMatching(/^Too private/),
    ]);
    camp.answer("GET /api/admin/videos/v1/comments", list({ ...spoken, id: "c2", content: "Rude." }));
    await user.click(screen.getByRole("button", { name: /^Keep/ }));
    expect(await screen.findByText("Comment kept")).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("Reported by 2 readers")).toBeNull());
    expect(camp.asked("PUT", "/api/admin/comments/c2/kept")).toHaveLength(1);
  });
});
