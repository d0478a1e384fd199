import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { open, refuse, server } from "../../test/portal";
import { kornbluh, onDuty } from "../../test/staff";
import type { Analytics } from "./queries";
import { axisMaximum, comparison, percentLabel } from "./words";
// Loads the lazy page before the first test's time limit starts.
import "../../app/admin";
import "./analytics";

const figures: Analytics = {
  from: "2026-07-27",
  to: "2026-07-29",
  views: { value: 90, before: 60 },
  likes: { value: 4, before: 0 },
  comments: { value: 3, before: 3 },
  new_members: { value: 1, before: 2 },
  days: [
    { day: "2026-07-27", views: 20, likes: 1, comments: 1, new_members: 0 },
    { day: "2026-07-28", views: 50, likes: 2, comments: 2, new_members: 1 },
    { day: "2026-07-29", views: 20, likes: 1, comments: 0, new_members: 0 },
  ],
  top_videos: [{ id: "v1", title: "Color War", upload_date: "2026-07-28", views: 50, likes: 2, comments: 1 }],
  devices: { phone: 60, tablet: 10, computer: 20 },
  user_types: { parents: 109, visitors: 20, without_login: 27 },
  engagement: { of: 129, watched: 60, liked: 40, commented: 1, subscribed: 121, families: 132 },
  recent: [
    { kind: "comment", at: new Date(Date.now() - 120_000).toISOString(), what: "Malky Fensterthal", video_id: "v1" },
    { kind: "member", at: new Date(Date.now() - 180_000).toISOString(), what: "Hindy Kamillenfeld", video_id: null },
  ],
};

const camp = (answers: Record<string, unknown> = {}) =>
  server({ ...onDuty, "GET /api/admin/analytics": figures, ...answers });
const address = () => screen.getByTestId("address").textContent;

describe("the figures", () => {
  it("are compared with the same number of days before", async () => {
    camp();
    open("/admin/analytics");
    expect(await screen.findByText("Up 50% from 60 in the 3 days before")).toBeTruthy();
    expect(screen.getByText("None in the 3 days before")).toBeTruthy();
    expect(screen.getByText("As many as in the 3 days before")).toBeTruthy();
    expect(screen.getByText("Down 50% from 2 in the 3 days before")).toBeTruthy();
    expect(screen.getByText("109 (70%)")).toBeTruthy();
    expect(screen.getByText("60 of 90 views (67%)")).toBeTruthy();
    expect(screen.getByText("1 of 129 logins (under 1%)")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Malky Fensterthal commented" }).getAttribute("href")).toBe("/video/v1");
    expect(screen.getByText("Hindy Kamillenfeld", { exact: false })).toBeTruthy();
  });

  it("are drawn with their peak in words, and are all in a table", async () => {
    camp();
    const user = open("/admin/analytics");
    expect(await screen.findByRole("img", { name: "Views by day. Most: 50 on Jul 28, 2026." })).toBeTruthy();
    const chart = within(screen.getByRole("group", { name: "What the chart shows" }));
    await user.click(chart.getByRole("button", { name: "Likes" }));
    expect(await screen.findByRole("img", { name: "Likes by day. Most: 2 on Jul 28, 2026." })).toBeTruthy();
    await user.click(screen.getByText("The days as a table"));
    expect(screen.getByRole("row", { name: "Jul 28, 2026 50 2 2 1" })).toBeTruthy();
  });

  it("cover the period in the address bar", async () => {
    const portal = camp();
    const user = open("/admin/analytics?period=7");
    await screen.findByText("109 (70%)");
    expect(portal.asked("GET", "/api/admin/analytics")[0]?.query).toEqual({ period: "7" });
    await user.click(screen.getByRole("button", { name: "Season" }));
    expect(address()).toBe("/admin/analytics?period=season");
    await waitFor(() =>
      expect(portal.asked("GET", "/api/admin/analytics").at(-1)?.query).toEqual({ period: "season" }),
    );
    await user.click(screen.getByRole("button", { name: "30 days" }));
    expect(address()).toBe("/admin/analytics");
  });

  it("are downloaded by owners, for the chosen period", async () => {
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:x");
    const portal = camp({ "GET /api/admin/analytics.csv": "day,views" });
    const user = open("/admin/analytics?period=90");
    await user.click(await screen.findByRole("button", { name: "Download CSV" }));
    expect(await screen.findByText("The table was downloaded")).toBeTruthy();
    expect(portal.asked("GET", "/api/admin/analytics.csv")[0]?.query).toEqual({ period: "90" });
  });

  it("are seen by staff, without the download", async () => {
    camp({ "GET /api/admin/session": { staff: { ...kornbluh, role: "staff" } } });
    open("/admin/analytics");
    await screen.findByText("109 (70%)");
    expect(screen.queryByRole("button", { name: "Download CSV" })).toBeNull();
  });

  it("offer another try after a failure", async () => {
    const portal = camp({ "GET /api/admin/analytics": refuse(400, "x", "Not now.") });
    const user = open("/admin/analytics");
    expect(await screen.findByText("Failed to load analytics")).toBeTruthy();
    portal.answer("GET /api/admin/analytics", figures);
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(await screen.findByText("109 (70%)")).toBeTruthy();
  });
});

it("words and scales are right at their limits", () => {
  expect(comparison({ value: 1001, before: 1000 }, 7)).toBe("Slightly up from 1,000 in the 7 days before");
  expect(percentLabel(999, 1000)).toBe("over 99%");
  expect(percentLabel(0, 0)).toBe("0%");
  expect([0, 1, 3, 10, 315, 8540].map(axisMaximum)).toEqual([2, 2, 4, 10, 400, 10_000]);
});
