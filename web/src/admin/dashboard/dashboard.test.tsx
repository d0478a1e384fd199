import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { open, refuse, server } from "../../test/portal";
import { dashboard, kornbluh, onDuty } from "../../test/staff";
import { linesOf } from "./dashboard";

const none = {
  unread_messages: 0,
  failed_mails: 0,
  failed_video_mails: 0,
  suppressed_addresses: 0,
  reported_comments: 0,
  held_comments: 0,
  to_approve: 0,
  overdue_plans: 0,
  failed_jobs: 0,
  next_video: null,
  late_video: null,
};

describe("the dashboard", () => {
  it("says what needs attention now, each with a link", async () => {
    server(onDuty);
    open("/admin/dashboard");
    const list = within((await screen.findByText("19 overdue plans")).closest("ul")!);
    expect(list.getByText("1 family to approve").closest("a")?.getAttribute("href")).toBe(
      "/admin/users?filter=to_approve",
    );
    expect(list.getByText("19 overdue plans").closest("a")?.getAttribute("href")).toBe("/admin/users?filter=overdue");
    expect(list.getByText("2 reported comments").closest("a")?.getAttribute("href")).toBe(
      "/admin/comments?filter=reported",
    );
    expect(list.getByText("5 unread messages").closest("a")?.getAttribute("href")).toBe(
      "/admin/messages?status=unread",
    );
    expect(
      list.getByText("2 emails about videos failed in the last seven days").closest("a")?.getAttribute("href"),
    ).toBe("/admin/mail?about=videos");
    expect(list.getByText("1 other email failed in the last seven days").closest("a")?.getAttribute("href")).toBe(
      "/admin/mail?about=other",
    );
    expect(list.getByText("1 address refused our emails").closest("a")?.getAttribute("href")).toBe(
      "/admin/mail?show=addresses",
    );
    expect(list.getByText(/^Next video:/).textContent).toBe(
      "Next video: Grand Siyum, Tuesday, Jul 30, 2030, 8:30\u00a0PM",
    );
  });

  it("has a tile with its count for every page, and only for those", async () => {
    server(onDuty);
    open("/admin/dashboard");
    expect(await screen.findByText("34 this year, 3 drafts of any year")).toBeTruthy();
    const tiles = within(screen.getByRole("region", { name: "Everything" }));
    expect(tiles.getByText("132 users")).toBeTruthy();
    expect(tiles.getByText("340 videos of earlier years")).toBeTruthy();
    expect(tiles.getByText("2 to review").closest("a")?.getAttribute("href")).toBe("/admin/comments");
    expect(tiles.getByText("10 entries published")).toBeTruthy();
    expect(tiles.getByText("812 views in 7 days")).toBeTruthy();
    expect(tiles.getByText("5 active")).toBeTruthy();
    expect(tiles.getByText("24 items").closest("a")?.getAttribute("href")).toBe("/admin/store");
    expect(tiles.queryByText("Dashboard")).toBeNull();
    expect(screen.getByRole("link", { name: "Upload New Report" }).getAttribute("href")).toBe(
      "/admin/reports?action=upload",
    );
  });

  it("hides the admin accounts from people who may not see them", async () => {
    server({ ...onDuty, "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/dashboard");
    expect(await screen.findByText("132 users")).toBeTruthy();
    expect(screen.queryByText("Admin accounts")).toBeNull();
  });

  it("says when nothing waits", async () => {
    server({ ...onDuty, "GET /api/admin/dashboard": { ...dashboard, attention: none } });
    open("/admin/dashboard");
    expect(await screen.findByText("You are all caught up.")).toBeTruthy();
  });

  it("asks once before it tells families that the video is late", async () => {
    const late = { posting_time: "2026-07-30T01:00:00Z", families: 12, told: null };
    const camp = server({
      ...onDuty,
      "GET /api/admin/dashboard": { ...dashboard, attention: { ...none, late_video: late } },
      "POST /api/admin/videos/late-note": { families: 12 },
    });
    const user = open("/admin/dashboard");
    const notice = within(await screen.findByRole("region", { name: "Tonight’s video" }));
    expect(notice.getByText(/No video for tonight was published by/)).toBeTruthy();
    await user.click(notice.getByRole("button", { name: "Tell 12 families" }));
    expect(camp.asked("POST", "/api/admin/videos/late-note")).toHaveLength(0);
    const told = { ...late, told: 12 };
    camp.answer("GET /api/admin/dashboard", { ...dashboard, attention: { ...none, late_video: told } });
    await user.click(screen.getByRole("button", { name: "Send email" }));
    expect(await notice.findByText(/12 families were told\./)).toBeTruthy();
    expect(camp.asked("POST", "/api/admin/videos/late-note")).toHaveLength(1);
    expect(notice.queryByRole("button")).toBeNull();
  });

  it("offers no note where no family asked for it", async () => {
    const late = { posting_time: "2026-07-30T01:00:00Z", families: 0, told: null };
    server({ ...onDuty, "GET /api/admin/dashboard": { ...dashboard, attention: { ...none, late_video: late } } });
    open("/admin/dashboard");
    const notice = within(await screen.findByRole("region", { name: "Tonight’s video" }));
    expect(notice.getByText(/No family asked for an email about it/)).toBeTruthy();
    expect(notice.queryByRole("button")).toBeNull();
  });

  it("does not treat a failure as nothing to do", async () => {
    const camp = server({ ...onDuty, "GET /api/admin/dashboard": refuse(500, "internal", "Something went wrong.") });
    const user = open("/admin/dashboard");
    expect(await screen.findByText("The figures could not be loaded")).toBeTruthy();
    camp.answer("GET /api/admin/dashboard", dashboard);
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("19 overdue plans")).toBeTruthy();
  });

  it("is closed by Sign Out", async () => {
    const camp = server({ ...onDuty, "POST /api/admin/auth/sign-out": null });
    const user = open("/admin/dashboard");
    await screen.findByText("19 overdue plans");
    camp.answer("GET /api/admin/session", { staff: null });
    await user.click(within(screen.getByRole("main")).getByRole("button", { name: "Sign Out" }));
    expect(await screen.findByLabelText("Username")).toBeTruthy();
  });
});

it("a line leads to exactly the records that it counts, if a list can show them", () => {
  const lines = linesOf({ ...none, unread_messages: 1, failed_mails: 1, failed_jobs: 1 }, "UTC");
  expect(lines.map(({ text, to }) => [text, to])).toEqual([
    ["1 unread message", "/admin/messages?status=unread"],
    ["1 email failed in the last seven days", "/admin/mail?about=other"],
    ["1 failed job: whoever runs the site should look at it", undefined],
  ]);
});
